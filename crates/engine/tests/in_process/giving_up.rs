//! Which story is next, and which is given up.

use events::{AgentOutcome, GiveUpReason, LoopEvent};
use serde_json::json;
use tasks::{Mode, Selection};

use crate::control::{NextWork, Step};
use crate::drive::Drivable;
use crate::in_process::project::{Project, id, story};
use crate::options::AtReviewCap;

#[test]
fn a_story_is_given_up_after_its_last_attempt_and_its_work_goes_to_a_branch() {
    let mut project = Project::with(&[story("US-1"), story("US-2")], &["fail"]);
    project.options.attempts.most = 2;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    for number in 1..=2 {
        let name = format!("src/n{number}.rs");
        let played = run.played(Mode::Implement, number, None, || {
            project.write(&name, "work");
            project.submit("US-1");
        });
        run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    }
    let NextWork::Work(next) = run.find_work().unwrap() else { panic!("US-2 is left") };
    assert_eq!(next.story, id("US-2"));
    let saved = project.saved().run;
    let given_up = saved.stories[&id("US-1")].given_up.clone().unwrap();
    assert_eq!(given_up.reason, GiveUpReason::AttemptsUsed);
    let branch = given_up.branch.unwrap();
    assert!(project.git(&["ls-tree", "-r", "--name-only", &branch]).contains("src/n2.rs"));
    assert!(!project.root().join("src/n2.rs").exists());
    assert!(saved.giving_up.is_none());
    let is_it = |event: &LoopEvent| matches!(event, LoopEvent::StoryGivenUp { .. });
    assert_eq!(project.events.all().iter().filter(|event| is_it(event)).count(), 1);
}

#[test]
fn without_another_story_the_run_has_failed() {
    let mut project = Project::new(&["fail"]);
    project.options.attempts.most = 1;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    assert!(matches!(run.find_work().unwrap(), NextWork::Failed));
}

#[test]
fn a_skipped_story_is_given_up_and_an_unknown_one_is_refused() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.extend([id("US-1"), id("US-9")]);
    let NextWork::Work(next) = run.find_work().unwrap() else { panic!("US-2 is left") };
    assert_eq!(next.story, id("US-2"));
    assert!(run.state.skips.is_empty());
    let given_up = run.state.stories[&id("US-1")].given_up.as_ref().unwrap();
    assert_eq!(given_up.reason, GiveUpReason::Skipped);
    let refused = |event: &LoopEvent| matches!(event, LoopEvent::OrderRefused { .. });
    assert!(project.events.all().iter().any(refused));
}

#[test]
fn an_order_to_skip_without_a_story_means_the_next_one() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.skip(None).unwrap();
    assert!(run.state.skips.contains(&id("US-1")));
    run.skip(Some(id("US-2"))).unwrap();
    assert_eq!(run.state.skips.len(), 2);
}

#[test]
fn at_the_cap_of_reviews_a_story_fails_only_if_the_settings_say_so() {
    for (at_cap, expected) in
        [(AtReviewCap::Fail, Some(GiveUpReason::ReviewCap)), (AtReviewCap::default(), None)]
    {
        let mut rejected = story("US-1");
        rejected["reviewStatus"] = json!("changes_requested");
        rejected["reviewCount"] = json!(3);
        rejected["reviewFeedback"] = json!("No.");
        let mut project = Project::with(&[rejected], &[]);
        project.options.at_review_cap = at_cap;
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        run.find_work().unwrap();
        let record = run.state.stories.get(&id("US-1"));
        let reason = record.and_then(|record| Some(record.given_up.as_ref()?.reason));
        assert_eq!(reason, expected, "{at_cap:?}");
    }
}

#[test]
fn a_list_whose_stories_pass_is_complete() {
    let mut done = story("US-1");
    done["passes"] = json!(true);
    done["reviewStatus"] = json!("approved");
    done["notes"] = json!("n");
    let project = Project::with(&[done], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    assert!(matches!(run.find_work().unwrap(), NextWork::Complete));
    assert_eq!(run.select_next().unwrap(), Selection::Complete);
}

#[test]
fn between_two_iterations_only_new_stories_priorities_and_notes_may_change() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.expected_tasks().unwrap();
    project.set("US-1", &[("notes", json!("remember"))]);
    assert_eq!(run.expected_tasks().unwrap().list.stories[0].notes, "remember");
    project.set("US-1", &[("passes", json!(true)), ("reviewStatus", json!("approved"))]);
    assert!(!run.expected_tasks().unwrap().list.stories[0].passes);
    assert_eq!(project.story("US-1")["passes"], false);
    let reverted = |event: &LoopEvent| matches!(event, LoopEvent::ChangesReverted { .. });
    assert!(project.events.all().iter().any(reverted));
}
