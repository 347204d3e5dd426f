//! `--timeout-multiplier` is in every limit, also in a guardrail's own. Each limit here would end
//! things far too early or far too late without it.

use events::{AgentOutcome, CheckOutcome, LoopEvent, QualityOutcome};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use super::{assert_time_used, fresh, hangs, project, submitted};
use crate::harness::{Finished, Project};

const SHORTER: [&str; 4] = ["-n", "1", "--timeout-multiplier", "0.01"];
const LONGER: [&str; 4] = ["-n", "1", "--timeout-multiplier", "1000"];

/// A guardrail that takes this many seconds, with these limits.
fn guarded(seconds: f64, limits: &Value, own: &Value) -> Project {
    let project = project(&fresh(), &[], limits);
    let mut guardrail = json!({"command": format!("sleep {seconds}")});
    guardrail.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let settings = json!({"timeLimits": limits, "guardrails": [guardrail]});
    project.write(".ralph/settings.json", &settings.to_string());
    test_repo::commit_all(project.root());
    project
}

#[track_caller]
fn assert_gate(ended: &Finished, expected: CheckOutcome) {
    ended.assert_event(
        "how the check ended",
        |event| matches!(event, LoopEvent::CheckEnded(events::CheckRecord { outcome, .. }) if *outcome == expected),
    );
}

#[test]
fn a_guardrails_own_limit_counts_more_than_that_of_all_and_is_multiplied_too() {
    let all = json!({"guardrailSoft": "0s", "guardrail": "100ms"});
    for own in ["0s", "40s"] {
        let unhurried = guarded(0.3, &all, &json!({"timeLimit": own}));
        assert_gate(&unhurried.run(&["-n", "1"]), CheckOutcome::Passed);
    }
    let usual = guarded(0.3, &all, &json!({}));
    assert_gate(&usual.run(&["-n", "1"]), CheckOutcome::TimedOut);
    let longer = guarded(0.3, &all, &json!({"timeLimit": "50ms"}));
    assert_gate(&longer.run(&LONGER), CheckOutcome::Passed);
    let shorter = guarded(600.0, &json!({"guardrail": "0s"}), &json!({"timeLimit": "50s"}));
    assert_gate(&shorter.run(&SHORTER), CheckOutcome::TimedOut);
}

#[test]
fn a_check() {
    let longer = guarded(0.3, &json!({"guardrailSoft": "0s", "guardrail": "50ms"}), &json!({}));
    assert_gate(&longer.run(&LONGER), CheckOutcome::Passed);
    let shorter = guarded(600.0, &json!({"guardrail": "50s"}), &json!({}));
    assert_gate(&shorter.run(&SHORTER), CheckOutcome::TimedOut);
}

#[test]
fn a_session_and_a_review() {
    let cases = [
        (Mode::Implement, fresh(), json!({"iteration": "50s"})),
        (Mode::Review, submitted(), json!({"review": "50s"})),
    ];
    for (mode, story, limits) in cases {
        let project = project(&story, &[], &limits);
        project.scenario(&Scenario::new().rule(When::mode(mode), hangs(mode)));
        project.run(&SHORTER).assert_event("that it took too long", |event| {
            matches!(
                event,
                LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::TimedOut, .. })
            )
        });
    }
}

#[test]
fn the_quality_check() {
    let project = project(&submitted(), &[], &json!({"quality": "50s", "run": "0s"}));
    let quality = When::any().prompt_contains("Quality check of");
    project.scenario(&Scenario::new().rule(quality, [Act::Hang { ignores_signals: false }]));
    let ended = project.run(&["--quality", "--review-timeout", "0s", SHORTER[2], SHORTER[3]]);
    ended.assert_exit(0).assert_event("that it took too long", |event| {
        matches!(event, LoopEvent::QualityChecked { outcome: QualityOutcome::TimedOut, .. })
    });
}

#[test]
fn the_run() {
    let project = project(&fresh(), &[], &json!({"run": "100s", "iteration": "0s"}));
    project.scenario(
        &Scenario::new().rule(When::mode(Mode::Implement).visit(1), hangs(Mode::Implement)),
    );
    assert_time_used(&project, &project.run(&SHORTER));
    // The other way round, the time that was used up is not any more.
    project.run(&["--resume", "--run-timeout", "1s", LONGER[2], LONGER[3]]).assert_exit(0);
    project.assert_complete();
}
