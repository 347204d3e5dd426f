//! What the next runner makes of an iteration whose runner was killed.

use std::collections::BTreeMap;
use std::fs;

use events::{AgentOutcome, LoopEvent};
use serde_json::json;
use tasks::{Mode, ReviewVerdict, Sha256Digest};

use crate::control::Step;
use crate::in_process::project::{Project, RecordedEvents, id};
use crate::lane::recorded;
use crate::lane::story_record::SavedReviewFields;
use crate::lane::{TaskText, write_before};

fn ended(events: &RecordedEvents) -> Vec<events::IterationStatus> {
    let status = |event| match event {
        LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(status),
        _ => None,
    };
    events.all().into_iter().filter_map(status).collect()
}

#[test]
fn its_work_is_judged_as_by_the_killed_runner_and_booked_once() {
    let project = Project::new(&["pass"]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    run.started(Mode::Implement, "US-1", 1);
    project.submit("US-1");
    drop(run);

    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    run.recover(running).unwrap();
    let saved = project.saved().run;
    assert!(project.saved().lane.running.is_none());
    assert_eq!(saved.counters.iterations, 1);
    assert_eq!(saved.stories[&id("US-1")].iterations, 1);
    assert_eq!(ended(&project.events).len(), 1);
    assert_eq!(project.story("US-1")["reviewStatus"], "needs_review");
}

#[test]
fn a_status_that_was_to_be_taken_back_is_taken_back_without_running_the_checks() {
    let project = Project::new(&["fail"]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.step(), Some(Step::ChecksFailed));
    drop(run);
    // The killed runner had saved the decision, but not changed the list yet.
    project.submit("US-1");
    let checks = |events: &RecordedEvents| {
        let all = events.all();
        all.iter().filter(|event| matches!(event, LoopEvent::CheckStarted { .. })).count()
    };
    let before = checks(&project.events);

    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    run.recover(running).unwrap();
    assert_eq!(checks(&project.events), before);
    assert_eq!(project.story("US-1")["reviewStatus"], json!(null));
    assert_eq!(run.state.attempts(&id("US-1")).len(), 1);
}

#[test]
fn a_recorded_verdict_counts_and_a_missing_one_does_not() {
    for (recorded, passes) in [(Some(ReviewVerdict::Approved), true), (None, false)] {
        let project = Project::submitted(&[]);
        let (mut first, mut second) = (project.events.clone(), project.events.clone());
        let mut run = project.coordinator(&mut first);
        run.started(Mode::Review, "US-1", 1);
        let running = run.lane_state.running.as_mut().unwrap();
        running.outcome = Some(AgentOutcome::Answered);
        running.verdict = recorded;
        run.save().unwrap();
        project.set(
            "US-1",
            &[
                ("reviewStatus", json!("approved")),
                ("passes", json!(true)),
                ("reviewCount", json!(1)),
                ("notes", json!("n")),
            ],
        );
        drop(run);
        let mut run = project.resumed(project.saved(), &mut second);
        let running = run.lane_state.running.clone().unwrap();
        run.recover(running).unwrap();
        assert_eq!(project.story("US-1")["passes"], passes, "{recorded:?}");
        assert_eq!(run.state.counters.void_reviews, u64::from(!passes));
    }
}

#[test]
fn a_changed_copy_of_the_list_is_read_from_the_commit_instead() {
    let project = Project::new(&[]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    let iteration = run.started(Mode::Implement, "US-1", 1);
    let copy = iteration.folder.join("tasks.before.json");
    let forged =
        fs::read_to_string(&copy).unwrap().replace("\"passes\": false", "\"passes\": true");
    fs::write(&copy, forged).unwrap();
    project.submit("US-1");
    drop(run);
    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    run.recover(running).unwrap();
    let story = project.story("US-1");
    assert_eq!((&story["passes"], &story["reviewStatus"]), (&json!(false), &json!("needs_review")));
}

#[test]
fn an_iteration_whose_list_is_lost_is_an_error_with_a_hint() {
    let project = Project::new(&[]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    let iteration = run.started(Mode::Implement, "US-1", 1);
    fs::remove_file(iteration.folder.join("tasks.before.json")).unwrap();
    run.lane_state.running.as_mut().unwrap().tasks_before = tasks::Sha256Digest::of("other");
    run.save().unwrap();
    drop(run);
    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    let error = run.recover(running).unwrap_err();
    assert!(error.to_string().contains("iteration 1 was not judged"), "{error}");
    assert!(error.hint().unwrap().contains("state.json"));
}

/// A session without a sandbox can write `state.json` and kill the runner.
#[test]
fn forged_fields_to_take_back_approve_nothing() {
    let project = Project::new(&["pass"]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    run.started(Mode::Implement, "US-1", 1);
    project.set("US-1", &[("notes", json!("done"))]);
    let state = tasks::StoryState {
        passes: true,
        review_status: tasks::ReviewStatus::Approved,
        review_count: 1,
    };
    let forged = SavedReviewFields { story: id("US-1"), state, feedback: String::new() };
    run.lane_state.running.as_mut().unwrap().taken_back = vec![forged];
    run.save().unwrap();
    drop(run);
    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    run.recover(running).unwrap();
    assert_eq!(project.story("US-1")["passes"], false);
    assert_ne!(ended(&project.events), [events::IterationStatus::Accepted]);
}

#[test]
fn lanes_with_different_contents_of_a_file_keep_both() {
    let project = Project::new(&["pass"]);
    let layout = &project.options.run.layout;
    let list = TaskText::read(layout).unwrap();
    let folder = layout.run_dir("r1").join("001");
    fs::create_dir_all(&folder).unwrap();
    let written = ["one", "two"].map(|text| {
        let files = BTreeMap::from([("ralph/prd.md".to_owned(), text.as_bytes().to_vec())]);
        write_before(layout, &folder, &list, &files).unwrap();
        files
    });
    for files in written {
        let digests =
            files.iter().map(|(path, bytes)| (path.clone(), Some(Sha256Digest::of(bytes))));
        assert_eq!(recorded::protected(&folder, &digests.collect()), files);
    }
}
