//! Runs that are limited to one story.

use events::{GiveUpReason, LoopEvent, RunEnd};
use serde_json::json;

use crate::failures::{CHECK, breaking, failed_attempts, given_up};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{CHANGES_REQUESTED, fields, story, story_at};

fn closing(run: &Outcome<'_>) -> String {
    match run.events.last() {
        Some(LoopEvent::RunEnded(events::RunEnded { text, .. })) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_run_ends_with_its_story_and_reports_its_limit() {
    let stories = [story_at("US-001", CHANGES_REQUESTED, 1), story("US-002"), story("US-003")];
    let project = Project::new(stories);
    let run = project.run(["US-002"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);
    assert_eq!(project.story("US-002")["passes"], true);
    run.assert_fields("US-001", &fields(false, CHANGES_REQUESTED, 1, "handle the empty name"));
    run.assert_fields("US-003", &fields(false, json!(null), 0, ""));
    assert_eq!(closing(&run), "story US-002 is done; the run was limited to it");
    let Some(LoopEvent::RunStarted { start, .. }) = run.events.first() else {
        panic!("{:?}", run.events);
    };
    assert_eq!(start.only_story.as_ref().map(ToString::to_string).as_deref(), Some("US-002"));
    assert_eq!(start.max_iterations, 15);
    let report = String::from_utf8(project.call(&["report"]).stdout).unwrap();
    assert!(report.contains("Limited to story US-002"), "{report}");
    assert!(report.contains("Continue with the other stories"), "{report}");
    assert!(!report.contains("ralph-loop archive"), "{report}");

    let rest = project.run([]);
    rest.assert_end(RunEnd::Complete);
    assert_eq!(closing(&rest), "every story is done", "the next run is limited to nothing");
}

#[test]
fn a_story_that_fails_ends_the_run_after_the_attempts_that_it_may_have() {
    let stories = ["US-001", "US-002"].map(story);
    let project = Project::with_checks(stories, [CHECK]).scenario(breaking(["US-001"]));
    let run = project.run(["US-001", "2"]);
    run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
    assert_eq!(failed_attempts(&run).len(), 2);
    let given_up = given_up(&run, "US-001");
    assert_eq!(
        (given_up.attempts, given_up.of, given_up.reason),
        (2, 2, GiveUpReason::AttemptsUsed)
    );
    run.assert_fields("US-002", &fields(false, json!(null), 0, ""));
    let report = String::from_utf8(project.call(&["report"]).stdout).unwrap();
    assert!(report.contains("ralph-loop run --story=US-001 --fresh"), "{report}");
}

#[test]
fn other_stories_are_not_given_up() {
    let project = Project::new([story_at("US-001", CHANGES_REQUESTED, 1), story("US-002")]);
    let run = project.run(["US-002", "--review-cap", "1", "--at-review-cap", "fail"]);
    run.assert_end(RunEnd::Complete);
    assert!(run.summary("US-001").given_up.is_none());
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);
}

#[test]
fn a_stopped_run_is_resumed_and_ends_with_its_story() {
    let project = Project::new([story("US-001"), story("US-002")]);
    project.run(["US-001", "-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let run = project.run(["US-001", "-n", "5", "--resume"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["review US-001"]);
    // It was at that story before: nothing is left to do, and that is no error.
    let again = project.run(["US-001", "-n", "5", "--resume"]);
    again.assert_end(RunEnd::Complete);
    assert!(again.assignments().is_empty());
}
