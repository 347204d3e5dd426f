//! A stuck story gets stronger models, then other agents, before it is given up.

use events::{EscalationTier, GiveUpReason, LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{breaks, escalated, given_up};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{fields, story};

const CHECK: &str = "test ! -e broken-US-001";

/// Three attempts without stronger help.
fn settings(escalation: Value) -> Value {
    json!({"attempts": {"most": 3, "strategyShifts": 0}, "escalation": escalation})
}

fn solves() -> [Act; 4] {
    [
        Act::bash("rm -f broken-US-001"),
        Act::submit("it works"),
        Act::commit("fix: [US-001]"),
        Act::Cost { usd: 0.75 },
    ]
}

/// Only a session that is called with these arguments can implement the story.
fn solved_by(arguments: &str, escalation: Value) -> Project {
    let stronger = When::mode(Mode::Implement).called_with(arguments);
    let scenario = Scenario::new().rule(stronger, solves()).rule(
        When::mode(Mode::Implement),
        [&breaks("US-001")[..], &[Act::Cost { usd: 0.5 }]].concat(),
    );
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    project.settings(&settings(escalation))
}

/// The help, its cost and whether it completed the story.
fn ended_help(run: &Outcome<'_>) -> Vec<(String, f64, bool)> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::EscalationEnded { help, cost_usd, solved, .. } => {
            Some((help.clone(), *cost_usd, *solved))
        }
        _ => None,
    });
    ended.collect()
}

#[test]
fn a_stronger_model_completes_a_story_that_would_be_given_up() {
    let project = solved_by("--model opus", json!({"models": ["sonnet", "opus"]}));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let models = ["", "", "", "sonnet", "opus"];
    for (start, model) in models.iter().enumerate() {
        let call = &run.calls()[start];
        assert_eq!(call.contains("--model"), !model.is_empty(), "{call}");
        assert!(call.contains(model), "{call}");
    }
    let [(tier, text, _), (_, second, _)] = &escalated(&run)[..] else {
        panic!("{run:?}", run = run.events)
    };
    assert_eq!(*tier, EscalationTier::StrongerModel);
    assert_eq!(
        text,
        "sonnet gets the story after 3 failed attempts, which cost $1.50; at that price its \
         attempt costs about $0.50"
    );
    assert!(second.starts_with("opus gets the story after 4 failed attempts"), "{second}");
    let [(first, cost, false), (last, _, true)] = &ended_help(&run)[..] else {
        panic!("{:?}", ended_help(&run))
    };
    assert_eq!((first.as_str(), *cost, last.as_str()), ("sonnet", 0.5, "opus"));
    let report = String::from_utf8(project.call(&["report"]).stdout).unwrap();
    assert!(report.contains("- opus completed US-001 for $0.7"), "{report}");
}

#[test]
fn another_agent_follows_the_models_and_reviews_nothing_of_its_own() {
    let escalation = json!({"models": ["opus"], "agents": ["codex"]});
    let project = solved_by("exec", escalation).installed("claude").installed("codex");
    let run = project.run_installed([]);
    run.assert_end(RunEnd::Complete);
    let agents: Vec<String> =
        run.calls().iter().map(|call| call.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(agents, ["claude", "claude", "claude", "claude", "codex", "claude"]);
    assert_eq!(ended_help(&run).last().unwrap().0, "codex");
}

#[test]
fn a_story_that_no_help_completes_is_given_up_with_all_attempts() {
    let project = solved_by("no such call", json!({"models": ["opus"]}));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let given_up = given_up(&run, "US-001");
    assert_eq!((given_up.reason, given_up.attempts), (GiveUpReason::Stuck, 4));
    assert!(run.prompt(4).contains("3 of 5 attempts at this story failed"), "{}", run.prompt(4));
}

#[test]
fn a_model_that_the_story_had_already_is_left_out() {
    let project = solved_by("no such call", json!({"models": ["opus"]}));
    let run = project.run(["--model", "opus"]);
    assert_eq!(given_up(&run, "US-001").attempts, 3);
}

#[test]
fn a_model_for_an_agent_without_models_and_an_unknown_agent_are_refused() {
    let project = solved_by("", json!({"models": ["opus"]})).installed("plain-agent");
    let refused = project.run_installed(["--agent", "plain-agent"]);
    refused.assert_exit(2);
    let why = "escalation.models: plain-agent has no option";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    let project = solved_by("", json!({"agents": ["no-such-agent"]}));
    let refused = project.run([]);
    refused.assert_exit(2);
    assert!(refused.stderr.contains("no-such-agent"), "{}", refused.stderr);
}

/// The runner is killed while the stronger model works.
#[cfg(unix)]
#[test]
fn a_resumed_run_continues_with_the_same_help() {
    let kill = "kill -9 $(sed -n '1s/[^0-9]*\\([0-9][0-9]*\\).*/\\1/p' .ralph/lock)";
    let stronger = When::mode(Mode::Implement).called_with("--model opus");
    let scenario = Scenario::new()
        .rule(stronger.clone().visit(4), [Act::bash(kill)])
        .rule(stronger, solves())
        .rule(When::mode(Mode::Implement), breaks("US-001"));
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let project = project.settings(&settings(json!({"models": ["opus"]})));
    project.run([]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.calls()[0].contains("--model opus"), "{:?}", run.calls());
}
