//! A runner that was killed: what it had worked counts as far as it was saved, and what it left is
//! judged within the time that is left.

use events::{LoopEvent, RunEnd};
use serde_json::json;
use simulator::{Act, Scenario, When};
use tasks::ReviewStatus;

use super::{WAITS, assert_end, assert_time_used, fresh, go_on, is_start, project, worked_seconds};
use crate::harness::await_none_in;

#[test]
fn the_worked_time_survives_the_kill() {
    let project = project(&fresh(), &[], &json!({}));
    let acts = [Act::say("Waiting."), Act::bash(WAITS)];
    project.scenario(&Scenario::new().rule(When::any().iteration(2), acts));
    let mut runner = project.start(&[]);
    runner.wait_for(
        "the second iteration",
        |event| matches!(event, LoopEvent::AgentText { text } if text == "Waiting."),
    );
    runner.kill();
    await_none_in(project.root(), None);
    let saved = worked_seconds(&project);
    assert!(saved > 0.0, "the first iteration was saved with its time");
    // Less than that, so there is nothing left.
    let ended = project.run(&["--run-timeout", "1ms"]);
    assert_time_used(&project, &ended);
    assert_eq!(ended.count(is_start), 0, "{:#?}", ended.events);
    assert!(worked_seconds(&project) >= saved);
    go_on(&project);
    project.run(&["--resume"]).assert_exit(0);
    project.assert_complete();
}

#[test]
fn a_check_that_is_repeated_has_no_more_time_than_the_run() {
    let check = "test -e ../fast || sleep 600";
    let project = project(&fresh(), &[check], &json!({"run": "0s"}));
    let mut runner = project.start(&[]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    let ended = project.run(&["--run-timeout", "700ms"]);
    assert_time_used(&project, &ended);
    assert!(worked_seconds(&project) >= 0.7, "checking is work: {}", worked_seconds(&project));
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::NeedsReview);
    std::fs::write(project.beside("fast"), "").unwrap();
    assert_end(&project, &project.run(&[]), RunEnd::Complete);
    project.assert_complete();
}
