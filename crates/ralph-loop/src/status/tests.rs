//! Status in every state of a project.

mod failed_stories;

use chrono::{Offset, Utc};
use engine::{LoopEvent, Stamped};
use project::Layout;
use project::orders::Order;
use serde_json::json;

use super::*;
use crate::report::test_events::{RUN, a_run, a_run_with_memory, at, id, log, stamped};
use crate::report::{Look, Marks, Palette};

const CAP: ReviewPolicy = ReviewPolicy::Required { cap: 5 };

fn task_list() -> TaskFile {
    with_feedback("")
}

/// Every review has the same feedback.
fn with_feedback(feedback: &str) -> TaskFile {
    let story = |id: &str, title: &str, priority: u64, status: Option<&str>, depends: &[&str]| {
        let passes = status == Some("approved");
        json!({
            "id": id, "title": title, "acceptanceCriteria": ["x"], "priority": priority,
            "passes": passes, "reviewStatus": status, "reviewCount": 1, "reviewFeedback": feedback,
            "notes": "n", "dependsOn": depends,
        })
    };
    let list = json!({
        "project": "shop", "branchName": "ralph/shop", "description": "d",
        "userStories": [
            story("US-001", "A cart that keeps its items", 1, Some("approved"), &[]),
            story("US-002", "Sums with tax", 2, Some("needs_review"), &["US-001"]),
            story("US-003", "Receipts in the customer's own language", 3, None, &["US-002"]),
        ],
    });
    TaskFile::Inspected(tasks::inspect(list.to_string().as_bytes()))
}

fn run(events: &[Stamped]) -> Option<RunLog> {
    let mut view = RunView::default();
    events.iter().for_each(|stamped| view.apply(stamped));
    let (chain, _) = events::run_logs::chain(log(events).as_bytes(), None).unwrap();
    Some(RunLog {
        folder: format!(".ralph/runs/{RUN}"),
        view,
        unread_lines: 0,
        newer_lines: 0,
        check: chain.check(),
    })
}

fn until(last: impl Fn(&LoopEvent) -> bool) -> Vec<Stamped> {
    let mut events = a_run();
    let end = events.iter().position(|stamped| last(&stamped.event)).unwrap();
    events.truncate(end + 1);
    events
}

fn status(seconds: i64, tasks: TaskFile, run: Option<RunLog>, liveness: Liveness) -> Status {
    let judged = Judged::Yes;
    Status::of(StatusInput { now: at(seconds), tasks, judged, run, liveness, policy: CAP })
}

fn shown(status: &Status, width: Option<usize>) -> String {
    let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width };
    let text = render(status, &look, Utc.fix());
    match &status.run {
        // They change with the samples.
        Some(run) => text.replace(&run.log.figures(), "57 events, sha256 9f86"),
        None => text,
    }
}

#[test]
fn a_story_approved_at_the_cap_is_not_simply_approved() {
    let list = with_feedback("[AUTO-APPROVED AT CAP] slow");
    let status = status(0, list, None, Liveness::NotAlive);
    let states: Vec<&str> = status.stories.iter().map(|story| story.state).collect();
    assert_eq!(states, ["auto-approved at cap", "awaits review", "open"]);
    assert!(shown(&status, None).contains("  auto-approved at cap  "), "{}", shown(&status, None));
}

#[test]
fn a_run_that_works() {
    let run = run(&until(|event| matches!(event, LoopEvent::Context { .. })));
    let status = status(70, task_list(), run, Liveness::Alive);
    assert_eq!(status.run.as_ref().unwrap().state, RunState::Running);
    assert_eq!(
        shown(&status, Some(80)),
        "\
shop · branch ralph/shop

  Story   Title                             State          Reviews  Failed  Cost
  US-001  A cart that keeps its items       approved             1       0     -
  US-002  Sums with tax                     awaits review        1       0     -
  US-003  Receipts in the customer's own…   open                 1       0     -

  1 of 3 done · 2 iterations · $1.50

● running · for 1m 10s · pid 4711
  iteration 3/15 · review · US-002 Sums with tax · 1m 08s · context 42%
  last activity 1m 03s ago: Bash cargo test -p cart
  files: .ralph/runs/20261115-010000-ab12/
  event log: 57 events, sha256 9f86

next: review US-002 Sums with tax
"
    );
}

#[test]
fn a_run_that_waits_shows_when_it_resumes() {
    let run = run(&until(|event| matches!(event, LoopEvent::Waiting { .. })));
    let text = shown(&status(300, task_list(), run, Liveness::Alive), None);
    let rest = "\n  ⏸ the usage limit is reached; resuming at 02:30 (in 1h 25m)\n";
    assert!(text.contains(rest), "{text}");
}

#[test]
fn a_run_that_ended_shows_its_result() {
    let text = shown(&status(6000, task_list(), run(&a_run()), Liveness::NotAlive), Some(40));
    assert_eq!(
        text,
        "\
shop · branch ralph/shop

  Story   Title     State           Cost
  US-001  A cart…   approved       $0.00
  US-002  Sums wi…  awaits review  $0.84
  US-003  Receipt…  open           $0.00

  1 of 3 done · 4 iterations · 3 accepted, 1 failed · $2.34 · 24 turns

▲ interrupted  ended 5m 48s ago, worked 8m 27s, exit code 130
  Ctrl-C was pressed; run the same command to resume.
  story US-003 waits for US-002
  files: .ralph/runs/20261115-010000-ab12/
  event log: 57 events, sha256 9f86

next: review US-002 Sums with tax
"
    );
}

#[test]
fn a_run_without_a_result_shows_its_last_activity() {
    let run = run(&until(|event| matches!(event, LoopEvent::CheckStarted { .. })));
    let status = status(9999, task_list(), run, Liveness::NotAlive);
    assert_eq!(status.run.as_ref().unwrap().state, RunState::Died);
    let text = shown(&status, None);
    let died = "\n❌ the last run ended without a result: it was killed, or the machine went down\n  \
        last activity 2h 42m ago: checking cargo test\n";
    assert!(text.contains(died), "{text}");
}

/// The beginning of a prompt loop, with the first iteration under way.
fn a_prompt_loop() -> Vec<Stamped> {
    let mut events = until(|event| matches!(event, LoopEvent::IterationStarted { .. }));
    for Stamped { event, .. } in &mut events {
        match event {
            LoopEvent::RunStarted { kind, name, branch, agent, review_cap, stories, .. } => {
                (*kind, *review_cap) = (LoopKind::Prompt, None);
                (*name, *branch, *agent) = ("Tidy up".into(), "main".into(), "codex".into());
                stories.clear();
            }
            LoopEvent::IterationStarted { mode, story, title, .. } => {
                (*mode, *story, *title) = (engine::IterationMode::Prompt, None, "Tidy up".into());
            }
            _ => {}
        }
    }
    events
}

#[test]
fn a_prompt_loop_that_runs_is_shown_without_a_task_list() {
    let status = status(9, TaskFile::Missing, run(&a_prompt_loop()), Liveness::Alive);
    let text = shown(&status, None);
    let expected = "\
Tidy up · branch main

● running · for 9s · pid 4711
  prompt loop with codex · 2 iterations · $1.50
  iteration 3/15 · prompt · Tidy up · 7s
";
    assert!(text.starts_with(expected), "{text}");
    let end = "files: .ralph/runs/20261115-010000-ab12/\n  event log: 57 events, sha256 9f86\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn only_a_story_run_has_a_review_policy() {
    assert_eq!(run(&a_prompt_loop()).unwrap().review_policy(), None);
    let cap = ReviewPolicy::Required { cap: 5 };
    assert_eq!(run(&a_run()).unwrap().review_policy(), Some(cap));
}

#[test]
fn handoffs_and_compactions_are_shown() {
    let text =
        shown(&status(2000, task_list(), run(&a_run_with_memory()), Liveness::NotAlive), None);
    let lines = "\
  handoff of iteration 5: [US-002] Sums have their tax, rounded half to even. Complete. 3 files.
  1 compaction · 1 failed · last prompt 5980 of 8000 tokens
  files: ";
    assert!(text.contains(lines), "{text}");
    assert!(text.contains(" · $2.34 · 48 turns\n"), "{text}");
    let without = shown(&status(6000, task_list(), run(&a_run()), Liveness::NotAlive), None);
    assert!(!without.contains("handoff") && !without.contains("compaction"), "{without}");
}

#[test]
fn a_compaction_is_shown_in_place_of_the_iteration() {
    let mut events = a_run_with_memory();
    let last = |s: &Stamped| matches!(s.event, LoopEvent::CompactionStarted { .. });
    events.truncate(events.iter().position(last).unwrap() + 1);
    let status = status(500, task_list(), run(&events), Liveness::Alive);
    let text = shown(&status, None);
    let lines = "● running · for 8m 20s · pid 4711\n  compacting 5 handoffs · 20s\n  last activity 20s ago: ";
    assert!(text.contains(lines), "{text}");
    let json = serde_json::to_value(status).unwrap();
    assert_eq!(json["totals"]["turns"], 12);
    assert_eq!(
        json["run"]["memory"],
        json!({
            "lastHandoff": {
                "iteration": 3, "story": "US-002", "source": "agent",
                "text": "[US-002] Sums have their tax, rounded half to even\u{1b}[2J. Complete. 3 files.",
            },
            "compactions": 0, "failedCompactions": 0,
            "prompt": { "tokens": 1050, "budget": 8000 },
            "compaction": { "handoffs": 5, "startedAt": "2026-11-15T01:08:00Z" },
        })
    );
}

#[test]
fn a_project_without_anything() {
    let status = status(0, TaskFile::Missing, None, Liveness::NotAlive);
    assert_eq!(
        shown(&status, None),
        "❌ no task list found\n\nno run yet\n\nnext: run `ralph-loop init`, or write a task list\n"
    );
}

#[test]
fn an_invalid_task_list_shows_its_problems_and_what_could_be_read() {
    let inspected = tasks::inspect(br#"{"project": "shop", "userStories": [{"id": "US-1"}]}"#);
    let found = inspected.problems.len();
    let status = status(0, TaskFile::Inspected(inspected), None, Liveness::NotAlive);
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
    let mut status = status(0, TaskFile::Missing, None, Liveness::NotAlive);
    (status.problems, status.task_list) = (why, TaskListState::Invalid);
    let text = shown(&status, None);
    assert!(text.contains("problem 19\n    … 30 more problems\n"), "{text}");
}

#[test]
fn without_a_task_list_the_stories_come_from_the_run() {
    let why = "it is a directory".to_owned();
    let status = status(0, TaskFile::Unreadable { why }, run(&a_run()), Liveness::NotAlive);
    assert_eq!((status.stories.len(), status.project.as_deref()), (3, Some("shop")));
    assert_eq!(status.stories[1].story.failed_attempts, 1);
}

#[test]
fn a_log_of_a_newer_version_is_mentioned() {
    let log = RunLog { unread_lines: 3, newer_lines: 3, ..run(&a_run()).unwrap() };
    let text = shown(&status(6000, task_list(), Some(log), Liveness::NotAlive), None);
    let note = "  ▲ 3 lines of its log are unreadable; written by a newer ralph-loop\n";
    assert!(text.contains(note), "{text}");
}

#[test]
fn the_json_form_keeps_its_names() {
    let run = run(&until(|event| matches!(event, LoopEvent::Context { .. })));
    let json = serde_json::to_value(status(70, task_list(), run, Liveness::Alive)).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["taskList"], "valid");
    assert_eq!(
        json["stories"][1],
        json!({
            "id": "US-002", "title": "Sums with tax", "passes": false,
            "reviewStatus": "needs_review", "reviewCount": 1, "failedAttempts": 0,
            "costUsd": 0.0, "state": "awaits review", "maxAttempts": 5, "blockedBy": [],
        })
    );
    assert_eq!(json["next"]["type"], "work");
    assert_eq!(json["totals"]["costUsd"], 1.5);
    let run = &json["run"];
    assert_eq!((&run["state"], &run["id"]), (&json!("running"), &json!(RUN)));
    assert_eq!(run["iteration"]["contextTokens"], 84_000);
    assert_eq!(run["lastActivity"]["text"], "Bash cargo test -p cart");
    assert_eq!(run["start"]["maxIterations"], 15);
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

#[test]
fn accepted_orders_are_shown_until_they_are_applied() {
    let accepted = |order| LoopEvent::OrderAccepted { order };
    let mut events = a_run();
    let last = |s: &Stamped| matches!(s.event, LoopEvent::IterationStarted { .. });
    events.truncate(events.iter().position(last).unwrap() + 1);
    events.push(stamped(400, accepted(Order::Steer { text: "use\x1b[2J sqlite".into() })));
    events.push(stamped(401, accepted(Order::Skip { story: Some(id("US-003")) })));
    events.push(stamped(402, accepted(Order::Pause)));
    let text = shown(&status(462, task_list(), run(&events), Liveness::Alive), None);
    let lines = "\n  pausing after this iteration\n  skipping US-003\n  \
                 instruction for the next session: use sqlite\n";
    assert!(text.contains(lines), "{text}");
    events.push(stamped(402, LoopEvent::Paused));
    let text = shown(&status(462, task_list(), run(&events), Liveness::Alive), None);
    assert!(
        text.contains("\n  ⏸ paused for 1m 00s; run `ralph-loop resume` to continue\n"),
        "{text}"
    );
}

#[test]
fn an_altered_log_and_an_unchained_log_are_shown() {
    let with = |text: &str| {
        let (chain, _) = events::run_logs::chain(text.as_bytes(), None).unwrap();
        let log = RunLog { check: chain.check(), ..run(&a_run()).unwrap() };
        status(6000, task_list(), Some(log), Liveness::NotAlive)
    };
    let whole = log(&a_run());
    let altered = with(&whole.replacen("opus", "0pus", 1));
    let warning = "  ▲ the event log was altered: line 2 (event 2) does not follow line 1\n";
    assert!(shown(&altered, None).contains(warning), "{}", shown(&altered, None));
    let json = serde_json::to_value(&altered).unwrap();
    assert_eq!(json["run"]["log"]["state"], "altered");
    assert_eq!(json["run"]["log"]["line"], 2);
    let old: String = a_run().iter().take(3).map(|event| event.to_line() + "\n").collect();
    let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width: None };
    let text = render(&with(&old), &look, Utc.fix());
    assert!(text.contains("  event log: 3 events, not chained\n"), "{text}");
}

/// The state after `archive`.
#[test]
fn a_list_with_only_the_example_story_is_no_plan() {
    let example = scaffold_list();
    let status = status(9000, example, run(&a_run()), Liveness::NotAlive);
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
        checks: crate::scaffold::Checks::Detect,
        imported: None,
    };
    crate::scaffold::init(&options, chrono::NaiveDate::default()).unwrap();
    TaskFile::read(&layout)
}

#[test]
fn the_next_step_respects_the_story_that_the_run_is_limited_to() {
    let next = |only: Option<&str>, liveness| {
        let mut events = until(|event| matches!(event, LoopEvent::IterationStarted { .. }));
        if let LoopEvent::RunStarted { only_story, .. } = &mut events[0].event {
            *only_story = only.map(id);
        }
        status(9, task_list(), run(&events), liveness).next
    };
    let usual = next(None, Liveness::Alive);
    assert!(matches!(usual, Next::Work { .. }), "{usual:?}");
    assert_eq!(next(Some("US-001"), Liveness::Alive), Next::Complete);
    assert_eq!(next(Some("US-001"), Liveness::NotAlive), usual, "the run is over");
}
