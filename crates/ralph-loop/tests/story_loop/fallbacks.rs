//! At a usage limit, another agent takes over, and the first one comes back after its reset.

use events::{
    AgentReplaced, CompactionOutcome, IterationMode, LoopEvent, QualityOutcome, RunEnd, WaitReason,
};
use serde_json::json;
use simulator::{Act, LimitStatus, Mode, Scenario, When};

use crate::compaction;
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const CLAUDE: &str = "--output-format";
const CODEX: &str = "exec";

fn limit(resets_in_s: u64) -> Act {
    let (resets_in_s, status) = (Some(resets_in_s), LimitStatus::Rejected);
    Act::Limit { status, resets_in_s, resets_at: None, utilization: None }
}

/// With Claude Code, and Codex as its fallback.
fn project(stories: &[&str], scenario: Scenario) -> Project {
    let project = Project::new(stories.iter().map(|id| story(id))).scenario(scenario);
    let project = project.installed("claude").installed("codex");
    project.settings(&json!({"agent": {"fallbacks": ["codex"]}}))
}

fn agents(run: &Outcome<'_>) -> Vec<String> {
    run.calls().iter().map(|call| call.split(':').next().unwrap().to_owned()).collect()
}

fn replaced<'a>(run: &'a Outcome<'_>) -> Vec<&'a AgentReplaced> {
    let events = run.events.iter();
    events
        .filter_map(|event| match event {
            LoopEvent::AgentReplaced(replaced) => Some(replaced),
            _ => None,
        })
        .collect()
}

fn waits(run: &Outcome<'_>) -> usize {
    let is_wait = |event: &&LoopEvent| matches!(event, LoopEvent::Waiting(wait) if wait.reason == WaitReason::UsageLimit);
    run.events.iter().filter(is_wait).count()
}

#[test]
fn another_agent_takes_over_without_a_wait() {
    let scenario = Scenario::new().rule(When::any().called_with(CLAUDE), [limit(3600)]);
    let project = project(&["US-001", "US-002"], scenario);
    let run = project.run_installed([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(waits(&run), 0);
    // Claude is asked once, and then not again before its reset.
    assert_eq!(agents(&run), ["claude", "codex", "codex", "codex", "codex"]);
    assert_eq!(replaced(&run).len(), 4);
    let first = replaced(&run)[0];
    assert_eq!((first.agent.as_str(), first.instead_of.as_str()), ("codex", "claude"));
    assert!(first.until.is_some_and(|until| until > events::now()), "{first:?}");
    assert_eq!(project.state()["counters"]["iterations"], 4, "the limited session does not count");
}

#[test]
fn the_first_agent_comes_back_after_its_reset() {
    let first = When::mode(Mode::Implement).called_with(CLAUDE).visit(1);
    // Codex works until after the reset.
    let slow = [Act::bash("sleep 8"), Act::submit("done"), Act::commit("feat")];
    let scenario = Scenario::new()
        .rule(first, [limit(1)])
        .rule(When::mode(Mode::Implement).called_with(CODEX), slow);
    let project = project(&["US-001"], scenario);
    let run = project.run_installed([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(agents(&run), ["claude", "codex", "claude"]);
}

#[test]
fn a_review_is_not_by_the_agent_that_implemented_if_another_is_left() {
    let scenario = Scenario::new().rule(When::any().called_with(CLAUDE), [limit(3600)]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let project = project.installed("claude").installed("codex").installed("plain-agent");
    let project = project.settings(&json!({
        "agent": {"fallbacks": ["codex", "plain-agent"]}, "review": {"agent": "codex"}
    }));
    let run = project.run_installed([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(agents(&run), ["claude", "codex", "plain-agent"]);
    let review = replaced(&run)[1];
    assert_eq!((review.instead_of.as_str(), review.until), ("codex", None));
}

#[test]
fn the_run_waits_for_the_first_reset_if_all_agents_are_limited() {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).called_with(CLAUDE).visit(1), [limit(3600)])
        .rule(When::mode(Mode::Implement).called_with(CODEX).visit(2), [limit(2)]);
    let project = project(&["US-001"], scenario);
    let run = project.run_installed(["--on-limit", "stop"]);
    run.assert_end(RunEnd::QuotaCeiling);
    assert_eq!(agents(&run), ["claude", "codex"]);
}

#[test]
fn a_cost_limit_that_a_fallback_cannot_report_is_refused() {
    let project = project(&["US-001"], Scenario::new());
    let run = project.run_installed(["--max-cost-usd", "5"]);
    run.assert_exit(2);
    assert!(run.stderr.contains("agent codex reports no cost"), "{}", run.stderr);
}

/// The runner is killed while the other agent works.
#[cfg(unix)]
#[test]
fn a_resumed_run_knows_which_agent_is_limited() {
    let kill = "kill -9 $(sed -n '1s/[^0-9]*\\([0-9][0-9]*\\).*/\\1/p' .ralph/lock)";
    let scenario = Scenario::new()
        .rule(When::any().called_with(CLAUDE), [limit(3600)])
        .rule(When::mode(Mode::Implement).visit(2), [Act::bash(kill)]);
    let project = project(&["US-001"], scenario);
    project.run_installed([]);
    let run = project.run_installed([]);
    run.assert_end(RunEnd::Complete);
    assert!(agents(&run).iter().all(|agent| agent == "codex"), "{:?}", agents(&run));
}

#[test]
fn all_lanes_know_that_an_agent_is_limited() {
    let scenario = Scenario::new().rule(When::any().called_with(CLAUDE), [limit(3600)]);
    let ids = ["US-001", "US-002", "US-003", "US-004"];
    let project = project(&ids, scenario);
    let run = project.run_installed(["-j", "2"]);
    run.assert_end(RunEnd::Complete);
    let asked = agents(&run).iter().filter(|agent| *agent == "claude").count();
    assert!((1..=2).contains(&asked), "once for each lane at most: {:?}", agents(&run));
    assert_eq!(waits(&run), 0);
}

/// Claude Code reaches its limit when it is asked for a commit message.
#[test]
fn another_agent_takes_over_in_a_prompt_loop() {
    let message = When::any().prompt_contains("imperative commit message");
    let works = [Act::write("new.txt", "new"), Act::finish("not yet")];
    let scenario = Scenario::new()
        .rule(message.clone().called_with(CLAUDE), [limit(3600)])
        .rule(message, [Act::finish("Add new")])
        .rule(When::any().called_with(CLAUDE), works)
        .rule(When::any().called_with(CODEX), [Act::finish("<response>DONE</response>")]);
    let project = project(&["US-001"], scenario).settings(&json!({
        "agent": {"fallbacks": ["codex"]},
        "scm": {"command": "git", "tasks": ["commit"]}
    }));
    let args = ["prompt", "-p", "Write it", "--output", "json", "--sandbox=guard"];
    let run = Outcome::of_run(&project, &project.call(&args));
    run.assert_end(RunEnd::Complete);
    assert_eq!(agents(&run), ["claude", "claude", "codex", "codex"]);
    let replaced: Vec<_> = replaced(&run).iter().map(|it| (&it.story, it.mode)).collect();
    assert_eq!(replaced, [(&None, Some(IterationMode::Prompt))]);
    assert_eq!(waits(&run), 0);
    assert_eq!(project.git(&["log", "-1", "--format=%s"]).trim(), "Add new");
    assert!(!run.warnings().contains("no commit message"), "{}", run.warnings());
}

/// The iteration that reached the limit does not count.
#[test]
fn a_prompt_loop_waits_if_all_agents_are_limited() {
    let scenario = Scenario::new()
        .rule(When::any().called_with(CLAUDE), [limit(3600)])
        .rule(When::any().called_with(CODEX), [limit(3600)]);
    let project = project(&["US-001"], scenario);
    let args = ["prompt", "-p", "Write it", "--on-limit", "stop", "--output", "json"];
    let run = Outcome::of_run(&project, &project.call(&[&args[..], &["--sandbox=guard"]].concat()));
    run.assert_end(RunEnd::QuotaCeiling);
    assert_eq!(agents(&run), ["claude", "codex"]);
}

#[test]
fn another_agent_takes_over_the_final_review() {
    let review = When::any().prompt_contains("# Final review of");
    let clean = Act::Structured(json!({"findings": []}));
    let scenario = Scenario::new()
        .rule(review.clone().called_with(CLAUDE), [limit(3600)])
        .rule(review, [clean]);
    let project = project(&["US-001"], scenario);
    let run = project.run_installed(["--final-review=on"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(agents(&run), ["claude", "claude", "claude", "codex"]);
    assert_eq!(replaced(&run)[0].mode, Some(IterationMode::FinalReview));
    assert_eq!(waits(&run), 0);
}

/// With three agents: Codex implements because Claude is limited, and must not review its work.
#[test]
fn a_final_review_is_not_by_an_agent_that_implemented_if_another_is_left() {
    let review = When::any().prompt_contains("# Final review of");
    let clean = Act::Structured(json!({"findings": []}));
    let scenario =
        Scenario::new().rule(review, [clean]).rule(When::any().called_with(CLAUDE), [limit(3600)]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let project = project.installed("claude").installed("codex").installed("plain-agent");
    let project = project.settings(&json!({
        "agent": {"fallbacks": ["codex", "plain-agent"]}, "review": {"agent": "codex"}
    }));
    let run = project.run_installed(["--final-review=on"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(agents(&run), ["claude", "codex", "plain-agent", "plain-agent"]);
}

#[test]
fn another_agent_takes_over_quality_checks_and_compactions() {
    let quality = When::any().prompt_contains("# Quality check of");
    let compaction = When::any().prompt_contains(compaction::ASKED);
    let account = Act::Structured(compaction::account("Greetings."));
    let scenario = Scenario::new()
        .rule(quality.clone().called_with(CLAUDE), [limit(3600)])
        .rule(quality, [Act::finish("NO WARNINGS")])
        .rule(compaction.called_with(CODEX), [account]);
    let project = project(&["US-001", "US-002"], scenario).settings(&json!({
        "agent": {"fallbacks": ["codex"]},
        "memory": {"handoffs": true, "compactAfterIterations": 1}
    }));
    let run = project.run_installed(["--quality"]);
    run.assert_end(RunEnd::Complete);
    let checked = run.events.iter().filter(|event| {
        matches!(event, LoopEvent::QualityChecked { outcome: QualityOutcome::Checked, .. })
    });
    assert_eq!(checked.count(), 2);
    let compactions = compaction::compactions(&run);
    assert!(!compactions.is_empty());
    assert!(
        compactions.iter().all(|(_, outcome)| *outcome == CompactionOutcome::Compacted),
        "{compactions:?}"
    );
    let of_codex = replaced(&run).iter().filter(|it| it.mode.is_none()).count();
    assert_eq!(of_codex, 2 + compactions.len());
}

/// Otherwise Codex would review twice.
#[test]
fn the_first_of_several_reviewers_has_no_fallback() {
    let limited = When::mode(Mode::Review).called_with(CLAUDE);
    let project =
        Project::new([story("US-001")]).scenario(Scenario::new().rule(limited, [limit(3600)]));
    let project = project.installed("claude").installed("codex");
    let project = project.settings(&json!({
        "agent": {"fallbacks": ["codex"]}, "review": {"panel": [{"agent": "codex"}]}
    }));
    let run = project.run_installed(["--on-limit", "stop"]);
    run.assert_end(RunEnd::QuotaCeiling);
    assert_eq!(agents(&run), ["claude", "claude"]);
}
