//! What a lane makes of the work of an implementing session.

use events::LoopEvent;
use serde_json::json;
use tasks::Mode;

use crate::control::Step;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{Project, RecordedEvents, id};
use crate::lane::settlement::{PendingCorrection, SettledStep};

fn status_changes(events: &RecordedEvents) -> usize {
    let is_change = |event: &&LoopEvent| matches!(event, LoopEvent::StoryStatusChanged { .. });
    events.all().iter().filter(is_change).count()
}

#[test]
fn a_submission_without_checks_is_accepted_and_reported() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.step(), Some(Step::Accepted));
    assert!(played.settlement.failure.is_none());
    assert_eq!(status_changes(&project.events), 1);
    assert_eq!(project.story("US-1")["reviewStatus"], "needs_review");
}

#[test]
fn a_session_that_leaves_the_status_alone_takes_no_step() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.write("src/new.rs", "work"));
    assert_eq!(played.step(), Some(Step::None));
    assert_eq!(status_changes(&project.events), 0);
    let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(files.contains("src/new.rs"), "uncommitted work is committed: {files}");
}

#[test]
fn an_implementer_cannot_approve_its_own_story() {
    let project = Project::new(&[]);
    let before = project.read("ralph/tasks.json");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.set(
            "US-1",
            &[("passes", json!(true)), ("reviewStatus", json!("approved")), ("notes", json!("n"))],
        );
    });
    assert_eq!(played.step(), Some(Step::Undone));
    assert!(!played.findings().is_empty());
    let story = project.story("US-1");
    assert_eq!((&story["passes"], &story["reviewStatus"]), (&json!(false), &json!(null)));
    assert_ne!(project.git(&["log", "-1", "--format=%s"]), "work");
    let reverted = project
        .events
        .all()
        .into_iter()
        .find_map(|event| match event {
            LoopEvent::ChangesReverted(reverted) => Some((reverted.commit, reverted.findings)),
            _ => None,
        })
        .unwrap();
    assert_eq!(reverted.0, Some(project.git(&["rev-parse", "HEAD"])));
    assert_eq!(reverted.1.join("\n"), played.findings());
    assert!(before.contains("\"passes\": false"));
}

#[test]
fn the_failure_is_on_disk_before_the_correction() {
    let project = Project::new(&["fail"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.step(), Some(Step::ChecksFailed));
    assert!(matches!(played.settlement.correction, PendingCorrection::TakeBack(_)));
    let saved = project.saved();
    let running = saved.lane.running.as_ref().unwrap();
    assert_eq!(running.taken_back.len(), 1);
    assert_eq!(running.taken_back[0].story, id("US-1"));
    let failure = saved.run.stories[&id("US-1")].failure.as_ref().unwrap();
    assert_eq!((failure.iteration, failure.mode), (1, Some(Mode::Implement)));
    assert_eq!(failure.guardrails[0].command, "fail");
    assert_eq!(project.story("US-1")["reviewStatus"], json!(null));
    assert!(project.git(&["log", "-1", "--format=%s"]).starts_with("ralph: take back"));
}

#[test]
fn checks_that_pass_accept_the_step_and_run_once_per_tree() {
    let project = Project::new(&["pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.step(), Some(Step::Accepted));
    assert!(played.settlement.check_time > std::time::Duration::ZERO);
    assert_eq!(played.settlement.tolerated, Some(Vec::new()));
    let again = run.played(Mode::Implement, 2, None, || {});
    assert_eq!(again.step(), Some(Step::None));
    assert_eq!(project.processes.checks_run.lock().unwrap().len(), 1);
}

#[test]
fn a_check_that_moves_the_branch_takes_the_step_back() {
    let project = Project::new(&["act"]);
    let processes = PlayedProcesses::new(
        |_| String::new(),
        || {
            project.commit("src/planted.rs", "x");
        },
    );
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.control.executor = &processes;
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.step(), Some(Step::Undone), "{}", played.findings());
    assert!(!project.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("planted"));
    assert_eq!(project.story("US-1")["reviewStatus"], json!(null));
    let text = "restored the state from before the checks";
    let is_it = |event: &LoopEvent| matches!(event, LoopEvent::ChangesReverted(reverted) if reverted.corrections == [text]);
    assert!(project.events.all().iter().any(is_it));
}

#[test]
fn a_skipped_story_is_not_checked_and_its_status_taken_back() {
    let project = Project::new(&["fail"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.insert(id("US-1"));
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    assert_eq!(played.settlement.result, SettledStep::Skipped);
    assert_eq!(played.settlement.tolerated, None);
    assert!(project.processes.checks_run.lock().unwrap().is_empty());
    assert_eq!(project.story("US-1")["reviewStatus"], json!(null));
}

#[test]
fn a_stop_during_the_checks_leaves_the_iteration_to_the_next_run() {
    let project = Project::new(&["pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let iteration = run.started(Mode::Implement, "US-1", 1);
    project.submit("US-1");
    project.switch.request(events::StopSignal::Terminate);
    let played = run.settled(iteration, events::AgentOutcome::Answered, None);
    assert_eq!(played.settlement.result, SettledStep::Unfinished);
    assert!(project.saved().lane.running.is_some());
    assert_eq!(project.story("US-1")["reviewStatus"], "needs_review");
}

#[test]
fn a_session_cannot_change_its_checks_without_reviews() {
    let mut project = Project::new(&["fail"]);
    project.options.review = tasks::ReviewPolicy::Skipped;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.set("US-1", &[("passes", json!(true)), ("notes", json!("done"))]);
        let list = project.read("ralph/tasks.json").replace("\"fail\"", "\"pass\"");
        project.commit("ralph/tasks.json", &list);
    });
    assert_eq!(played.step(), Some(Step::ChecksFailed));
    assert!(project.read("ralph/tasks.json").contains("\"fail\""));
    assert_eq!(project.story("US-1")["passes"], false);
}

#[test]
fn a_new_story_and_a_split_are_reported() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        let mut list: serde_json::Value =
            serde_json::from_str(&project.read("ralph/tasks.json")).unwrap();
        let mut new = crate::in_process::project::story("US-2");
        new["title"] = json!("More");
        list["userStories"].as_array_mut().unwrap().push(new);
        project.commit("ralph/tasks.json", &list.to_string());
    });
    assert_eq!(played.step(), Some(Step::None));
    let added = |event: &LoopEvent| matches!(event, LoopEvent::StoryAdded { story } if story.id == id("US-2"));
    assert!(project.events.all().iter().any(added));
    assert!(run.judged.as_ref().unwrap().list.story(&id("US-2")).is_some());
}

#[test]
fn a_changed_marker_is_a_finding_and_is_removed() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.write(".ralph-active", "{}");
        project.submit("US-1");
    });
    assert_eq!(played.step(), Some(Step::Undone));
    assert!(played.findings().contains(".ralph-active"), "{}", played.findings());
    assert!(!project.root().join(".ralph-active").exists());
}
