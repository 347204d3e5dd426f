//! The task list, its problems and the next step.

use project::Layout;

use super::*;
use crate::report::test_events::id;

#[test]
fn a_story_approved_at_the_cap_is_not_simply_approved() {
    let list = with_feedback("[AUTO-APPROVED AT CAP] slow");
    let status = status(0, list, None);
    let states: Vec<&str> = status.stories.iter().map(|story| story.state).collect();
    assert_eq!(states, ["auto-approved at cap", "awaits review", "open"]);
    assert!(shown(&status, None).contains("  auto-approved at cap  "), "{}", shown(&status, None));
}

#[test]
fn a_project_without_anything() {
    let status = status(0, TaskFile::Missing, None);
    assert_eq!(
        shown(&status, None),
        "❌ no task list found\n\nno run yet\n\nnext: run `ralph-loop init`, or write a task list\n"
    );
}

#[test]
fn an_invalid_task_list_shows_its_problems_and_what_could_be_read() {
    let inspected = tasks::inspect(br#"{"project": "shop", "userStories": [{"id": "US-1"}]}"#);
    let found = inspected.problems.len();
    let status = status(0, TaskFile::Inspected(inspected), None);
    assert_eq!((status.problems.len(), &status.next), (found, &Next::Unknown));
    let text = shown(&status, None);
    assert!(text.contains("❌ the task list has problems\n    branchName: expected"), "{text}");
    assert!(
        text.ends_with("next: fix the task list; `ralph-loop validate` lists the problems\n"),
        "{text}"
    );
}

#[test]
fn many_problems_are_counted() {
    let why = (0..50).map(|n| format!("problem {n}")).collect();
    let mut status = status(0, TaskFile::Missing, None);
    (status.problems, status.task_list) = (why, TaskListState::Invalid);
    let text = shown(&status, None);
    assert!(text.contains("problem 19\n    … 30 more problems\n"), "{text}");
}

#[test]
fn without_a_task_list_the_stories_come_from_the_run() {
    let why = "it is a directory".to_owned();
    let status = status(0, TaskFile::Unreadable { why }, run(&a_run()));
    assert_eq!((status.stories.len(), status.project.as_deref()), (3, Some("shop")));
    assert_eq!(status.stories[1].story.failed_attempts, 1);
}

#[test]
fn a_project_is_read_from_disk() {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    assert!(matches!(TaskFile::read(&layout), TaskFile::Missing));
    std::fs::create_dir_all(layout.tasks()).unwrap();
    let TaskFile::Unreadable { why } = TaskFile::read(&layout) else { panic!("a directory") };
    assert!(why.starts_with("cannot read ralph/tasks.json: "), "{why}");
    std::fs::remove_dir(layout.tasks()).unwrap();
    std::fs::write(layout.tasks(), "{").unwrap();
    let (state, list, problems) = TaskFile::read(&layout).into_parts();
    assert_eq!((state, list, problems.len()), (TaskListState::Invalid, None, 1));
}

/// The state after `archive`.
#[test]
fn a_list_with_only_the_example_story_is_no_plan() {
    let example = scaffold_list();
    let status = status(9000, example, run(&a_run()));
    assert_eq!((status.task_list, &status.next), (TaskListState::Example, &Next::NoPlan));
    let text = shown(&status, Some(80));
    assert!(text.contains("\nno plan yet: the task list has only the example story\n"), "{text}");
    assert!(text.contains("\nlast run (earlier plan):\n"), "{text}");
    for wrong in ["of 1 done", "next: implement", "Replace this"] {
        assert!(!text.contains(wrong), "{wrong}: {text}");
    }
}

fn scaffold_list() -> TaskFile {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let options = crate::scaffold::InitOptions {
        layout: layout.clone(),
        name: None,
        existing: crate::scaffold::Existing::Keep,
        checks: Vec::new(),
        imported: None,
    };
    crate::scaffold::init(&options, chrono::NaiveDate::default()).unwrap();
    TaskFile::read(&layout)
}

#[test]
fn the_next_step_respects_the_story_that_the_run_is_limited_to() {
    let next = |only: Option<&str>, is_alive| {
        let mut events = until(|event| matches!(event, LoopEvent::IterationStarted { .. }));
        if let LoopEvent::RunStarted { start, .. } = &mut events[0].event {
            start.only_story = only.map(id);
        }
        status(9, task_list(), run(&events).map(|run| with_runner(run, is_alive))).next
    };
    let usual = next(None, true);
    assert!(matches!(usual, Next::Work { .. }), "{usual:?}");
    assert_eq!(next(Some("US-001"), true), Next::Complete);
    assert_eq!(next(Some("US-001"), false), usual, "the run is over");
}
