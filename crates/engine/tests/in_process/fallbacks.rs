//! Which agent gets a session while others are at their usage limits.

use std::path::PathBuf;

use chrono::Duration;
use events::{AgentOutcome, now};

use super::project::Project;
use crate::control::{AgentChoice, IterationResult, Step, UsageLimits};
use crate::options::{AgentOptions, RunOptions};

/// Of the agents claude, codex and amp.
fn run() -> RunOptions {
    let mut run = Project::new(&[]).options.run;
    let named = |name: &str| AgentOptions { program: PathBuf::from(name), ..run.agent.clone() };
    let (agent, fallbacks) = (named("claude"), ["codex", "amp"].map(named).into());
    run.agent = agent;
    run.fallbacks = fallbacks;
    run
}

fn limited(names: &[&str]) -> UsageLimits {
    let (mut limits, now) = (UsageLimits::default(), now());
    for (minutes, name) in (10..).zip(names) {
        limits.add((*name).to_owned(), Some(now + Duration::minutes(minutes)), now);
    }
    limits
}

fn ended() -> IterationResult {
    IterationResult::new(AgentOutcome::UsageLimit, Step::None, None)
}

#[test]
fn the_first_agent_that_is_not_limited_works() {
    let run = run();
    let chosen = |names: &[&str], after: i64| {
        let then = now() + Duration::minutes(after);
        AgentChoice::new(&run, &run.agent).choose(&limited(names), then).name()
    };
    assert_eq!(chosen(&[], 0), "claude");
    assert_eq!(chosen(&["claude"], 0), "codex");
    assert_eq!(chosen(&["claude", "codex"], 0), "amp");
    assert_eq!(chosen(&["claude", "codex"], 11), "claude", "after its reset");
    assert_eq!(chosen(&["claude", "codex", "amp"], 0), "claude");
}

#[test]
fn an_avoided_agent_works_only_if_no_other_is_left() {
    let run = run();
    let choice = AgentChoice::new(&run, &run.fallbacks[0]).avoiding(vec!["codex".into()]);
    let chosen = |names: &[&str]| choice.choose(&limited(names), now()).name();
    assert_eq!(chosen(&[]), "amp");
    assert_eq!(chosen(&["amp"]), "claude");
    assert_eq!(chosen(&["amp", "claude"]), "codex");
}

#[test]
fn the_implementing_agent_is_a_fallback_of_the_others() {
    let run = run();
    let choice = AgentChoice::new(&run, &run.fallbacks[1]);
    assert_eq!(choice.choose(&limited(&["amp", "codex"]), now()).name(), "claude");
}

#[test]
fn nothing_replaces_an_agent_that_must_do_the_work() {
    let run = run();
    let choice = AgentChoice::new(&run, &run.agent).fixed();
    let mut limits = UsageLimits::default();
    let after = choice.after(&run.agent, &mut limits, ended());
    assert!(!after.is_taken_over);
    assert!(after.resets_at.is_some(), "asked again after a quarter of an hour");
    assert_eq!(choice.choose(&limits, now()).name(), "claude");
}

#[test]
fn the_first_reset_is_waited_for_if_no_agent_is_left() {
    let run = run();
    let choice = AgentChoice::new(&run, &run.agent);
    let mut limits = limited(&["codex", "claude"]);
    assert!(choice.after(&run.agent, &mut limits, ended()).is_taken_over);
    let last = choice.after(&run.fallbacks[1], &mut limits, ended());
    assert!(!last.is_taken_over);
    assert_eq!(last.resets_at, limits.until("codex", now()));
}

#[test]
fn without_fallbacks_the_agents_own_answer_counts() {
    let run = RunOptions { fallbacks: Vec::new(), ..run() };
    let mut limits = UsageLimits::default();
    let choice = AgentChoice::new(&run, &run.agent);
    assert_eq!(choice.after(&run.agent, &mut limits, ended()), ended());
    assert_eq!(limits, UsageLimits::default());
}
