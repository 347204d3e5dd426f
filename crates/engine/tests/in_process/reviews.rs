//! What a lane makes of a review.

use events::{AgentOutcome, LoopEvent};
use serde_json::{Value, json};
use tasks::{Mode, ReviewVerdict};

use crate::control::Step;
use crate::in_process::project::Project;
use crate::lane::verdict::void_step;

fn approve(project: &Project) {
    let fields: [(&str, Value); 4] = [
        ("reviewStatus", json!("approved")),
        ("passes", json!(true)),
        ("reviewCount", json!(1)),
        ("notes", json!("done")),
    ];
    project.set("US-1", &fields);
}

fn reject(project: &Project) {
    let fields: [(&str, Value); 3] = [
        ("reviewStatus", json!("changes_requested")),
        ("reviewCount", json!(1)),
        ("reviewFeedback", json!("No reset.")),
    ];
    project.set("US-1", &fields);
}

#[test]
fn an_approval_counts_if_list_and_message_agree() {
    let project = Project::submitted(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let verdict = Some(ReviewVerdict::Approved);
    let played = run.played(Mode::Review, 1, verdict, || approve(&project));
    assert_eq!(played.step(), Some(Step::Accepted), "{}", played.findings());
    assert_eq!(project.story("US-1")["passes"], true);
}

#[test]
fn an_approval_that_only_the_list_has_is_void() {
    for verdict in [None, Some(ReviewVerdict::ChangesRequested)] {
        let project = Project::submitted(&[]);
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        let played = run.played(Mode::Review, 1, verdict, || approve(&project));
        assert_eq!(played.step(), Some(Step::Void), "{verdict:?}");
        let story = project.story("US-1");
        assert_eq!(
            (&story["passes"], &story["reviewStatus"]),
            (&json!(false), &json!("needs_review"))
        );
        let void = project.events.all().into_iter().find_map(|event| match event {
            LoopEvent::VerdictVoid { list, message, in_a_row, .. } => {
                Some((list, message, in_a_row))
            }
            _ => None,
        });
        assert_eq!(void, Some((Some(ReviewVerdict::Approved), verdict, 1)));
    }
}

#[test]
fn a_review_without_any_verdict_is_void_only_if_the_session_answered() {
    let project = Project::submitted(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Review, 1, None, || {});
    assert_eq!(played.step(), Some(Step::Void));
    assert!(played.settlement.failure.is_some());
    let iteration = run.started(Mode::Review, "US-1", 2);
    let played = run.settled(iteration, AgentOutcome::Crashed, None);
    assert_eq!(played.step(), Some(Step::None));
    assert!(played.settlement.failure.is_none());
}

#[test]
fn a_stopped_review_is_not_counted_as_void() {
    assert_eq!(void_step(AgentOutcome::Stopped), Step::None);
    assert_eq!(void_step(AgentOutcome::RunnerDied), Step::None);
    assert_eq!(void_step(AgentOutcome::Answered), Step::Void);
    assert_eq!(void_step(AgentOutcome::TimedOut), Step::Void);
}

#[test]
fn an_approval_that_fails_a_check_goes_back_to_be_fixed_with_the_output() {
    let project = Project::submitted(&["fail broken sum"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let verdict = Some(ReviewVerdict::Approved);
    let played = run.played(Mode::Review, 1, verdict, || approve(&project));
    assert_eq!(played.step(), Some(Step::ChecksFailed));
    let story = project.story("US-1");
    assert_eq!(story["reviewStatus"], "changes_requested");
    assert_eq!(story["passes"], false);
    let feedback = story["reviewFeedback"].as_str().unwrap();
    assert!(
        feedback.starts_with("[CHECKS FAILED]") && feedback.contains("broken sum"),
        "{feedback}"
    );
}

#[test]
fn a_rejection_needs_no_checks() {
    let project = Project::submitted(&["fail"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let verdict = Some(ReviewVerdict::ChangesRequested);
    let played = run.played(Mode::Review, 1, verdict, || reject(&project));
    assert_eq!(played.step(), Some(Step::Accepted), "{}", played.findings());
    assert_eq!(played.settlement.tolerated, None, "no check ran");
    assert_eq!(project.story("US-1")["reviewFeedback"], "No reset.");
}

#[test]
fn a_review_that_changes_code_is_undone() {
    let project = Project::submitted(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let verdict = Some(ReviewVerdict::Approved);
    let played = run.played(Mode::Review, 1, verdict, || {
        approve(&project);
        project.commit("src/lib.rs", "changed");
    });
    assert_eq!(played.step(), Some(Step::Undone));
    assert!(played.findings().contains("src/lib.rs"), "{}", played.findings());
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    assert_eq!(project.story("US-1")["passes"], false);
}
