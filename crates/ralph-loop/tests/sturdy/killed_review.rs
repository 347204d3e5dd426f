//! The runner is killed during a review: a verdict that it had read counts, and no other.

use events::{IterationMode, IterationStatus, LoopEvent};
use serde_json::json;
use simulator::{Act, Mode, Scenario, ScenarioVerdict, When};
use tasks::{ReviewStatus, ReviewVerdict};

use crate::give_up_crash::{Moment, arm, disarm, wrap_git};
use crate::harness::{Finished, Project, await_none_in};

const SAYS: &str = "Now I wait.";

fn is_review(event: &LoopEvent) -> bool {
    matches!(
        event,
        LoopEvent::IterationStarted(events::IterationStarted { mode: IterationMode::Review, .. })
    )
}

fn voids(run: &Finished) -> usize {
    run.count(|event| matches!(event, LoopEvent::VerdictVoid { .. }))
}

/// Checks that hold the approval up until the file is gone.
fn held_up() -> (Project, std::path::PathBuf) {
    let project = Project::new(1, &["true"]);
    let slow = project.beside("slow");
    project.set_checks(&[&format!("test ! -e '{}' || sleep 600", slow.display())]);
    project.run(&["-n", "1"]).assert_exit(1);
    std::fs::write(&slow, "").unwrap();
    (project, slow)
}

fn killed_during_checks(project: &Project) {
    let mut runner = project.start(&["--resume"]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.kill();
    await_none_in(project.root(), None);
}

#[test]
fn a_verdict_that_was_read_is_judged_by_the_next_runner() {
    let (project, slow) = held_up();
    killed_during_checks(&project);
    let running = project.state().unwrap()["running"].clone();
    assert_eq!(
        (&running["outcome"], &running["verdict"]),
        (&json!("answered"), &json!("approved"))
    );
    std::fs::remove_file(slow).unwrap();
    let next = project.run(&[]);
    next.assert_exit(0);
    project.assert_complete();
    assert_eq!((next.count(is_review), voids(&next)), (0, 0), "it was not reviewed again");
}

#[test]
fn a_list_changed_after_the_kill_is_not_trusted() {
    let (project, slow) = held_up();
    let rejects = [Act::request_changes("the empty name"), Act::commit("review")];
    let acts = |message| [Act::Verdict(message), Act::approve("fine"), Act::commit("review")];
    project.scenario(
        &Scenario::new()
            .rule(When::mode(Mode::Review).visit(1), acts(ScenarioVerdict::Approved))
            .rule(When::mode(Mode::Review).visit(2), rejects),
    );
    killed_during_checks(&project);
    let mut state = project.state().unwrap();
    state["running"]["verdict"] = json!("changes_requested");
    project.write(".ralph/state.json", &state.to_string());
    std::fs::remove_file(slow).unwrap();
    let next = project.run(&["-n", "3"]);
    next.assert_event("the disagreement", |event| {
        let list = Some(ReviewVerdict::Approved);
        let message = Some(ReviewVerdict::ChangesRequested);
        matches!(event, LoopEvent::VerdictVoid { list: l, message: m, .. } if *l == list && *m == message)
    });
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::ChangesRequested);
}

/// Killed between what it writes down and what it does about it.
#[test]
fn a_void_verdict_that_was_not_taken_back_yet_is_no_failed_attempt() {
    let mut project = Project::new(1, &[]);
    let forged = [Act::Verdict(ScenarioVerdict::None), Act::approve("fine"), Act::commit("review")];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Review).visit(1), forged));
    wrap_git(&mut project);
    arm(&project, r#""takenBackFor": *"verdict""#, 1, Moment::Before);
    let killed = project.run(&[]);
    assert_eq!(killed.status.code(), None, "{}", killed.stderr);
    await_none_in(project.root(), None);
    disarm(&project);
    assert_eq!(project.state().unwrap()["running"]["takenBackFor"], json!("verdict"));
    let next = project.run(&[]);
    next.assert_exit(0);
    next.assert_event("what came of it", |event| {
        matches!(
            event,
            LoopEvent::IterationEnded(events::IterationEnded { status: IterationStatus::Void, .. })
        )
    });
    let failed = next.count(|event| matches!(event, LoopEvent::AttemptFailed { .. }));
    assert_eq!((failed, next.count(is_review)), (0, 1));
    project.assert_complete();
}

/// Approved and committed before the reviewer answered.
#[test]
fn an_approval_of_an_unfinished_review_is_void() {
    let project = Project::new(1, &[]);
    let acts = [
        Act::approve("fine"),
        Act::commit("review"),
        Act::say(SAYS),
        Act::Hang { ignores_signals: true },
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Review).visit(1), acts));
    let mut runner = project.start(&[]);
    runner.wait_for(
        "the approval",
        |event| matches!(event, LoopEvent::AgentText { text } if text == SAYS),
    );
    runner.kill();
    await_none_in(project.root(), None);
    assert!(project.list().stories[0].passes, "it is on disk");
    assert_eq!(project.state().unwrap()["running"]["verdict"], json!(null));
    let next = project.run(&[]);
    next.assert_exit(0);
    assert_eq!((next.count(is_review), voids(&next)), (1, 1), "it was reviewed again");
    next.assert_event("what went back", |event| {
        matches!(
            event,
            LoopEvent::VerdictVoid { list: Some(ReviewVerdict::Approved), in_a_row: 0, .. }
        )
    });
    project.assert_complete();
    assert_eq!(project.list().stories[0].review_count, 1);
    assert_eq!(project.state().unwrap()["counters"]["iterations"], 2, "a kill uses nothing up");
}

#[test]
fn void_reviews_are_counted_across_kills() {
    let project = Project::new(1, &[]);
    let silent = |visit| When::mode(Mode::Review).visit(visit);
    let hangs = [Act::say(SAYS), Act::Hang { ignores_signals: true }];
    let hm = || [Act::finish("Hm.")];
    project.scenario(
        &Scenario::new()
            .rule(silent(1), hm())
            .rule(silent(2), hm())
            .rule(silent(3), hangs)
            .rule(silent(4), hm()),
    );
    let mut runner = project.start(&[]);
    runner.wait_for(
        "the third",
        |event| matches!(event, LoopEvent::AgentText { text } if text == SAYS),
    );
    runner.kill();
    await_none_in(project.root(), None);
    assert_eq!(project.state().unwrap()["counters"]["voidReviews"], 2);
    let next = project.run(&[]);
    next.assert_exit(4);
    next.assert_event("the third void review", |event| {
        matches!(event, LoopEvent::VerdictVoid { in_a_row: 3, .. })
    });
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::NeedsReview);
}
