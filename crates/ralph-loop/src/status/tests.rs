//! Status in every state of a project.

mod failed_stories;
mod memory;
mod proof;
mod runs;
mod task_list;

use chrono::{Offset, Utc};
use events::{LoopEvent, LoopKind, Stamped};
use serde_json::json;

use super::*;
use crate::report::test_events::{RUN, a_run, at, log};
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

fn run(events: &[Stamped]) -> Option<RunStatus> {
    let view = RunView::of(events);
    let (chain, _) = events::run_logs::chain(log(events).as_bytes(), None).unwrap();
    Some(RunStatus {
        state: RunState::of(view.end.as_ref(), false),
        folder: format!(".ralph/runs/{RUN}"),
        view,
        unread_lines: 0,
        newer_lines: 0,
        log: chain.check(),
    })
}

fn until(last: impl Fn(&LoopEvent) -> bool) -> Vec<Stamped> {
    let mut events = a_run();
    let end = events.iter().position(|stamped| last(&stamped.event)).unwrap();
    events.truncate(end + 1);
    events
}

/// No runner is alive.
fn status(seconds: i64, tasks: TaskFile, run: Option<RunStatus>) -> ProjectStatus {
    ProjectStatus::of(at(seconds), (tasks, Judged::Yes), run, CAP)
}

fn running_status(seconds: i64, tasks: TaskFile, run: Option<RunStatus>) -> ProjectStatus {
    status(seconds, tasks, run.map(|run| with_runner(run, true)))
}

fn with_runner(run: RunStatus, is_alive: bool) -> RunStatus {
    RunStatus { state: RunState::of(run.view.end.as_ref(), is_alive), ..run }
}

fn shown(status: &ProjectStatus, width: Option<usize>) -> String {
    let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width };
    let text = render(status, &look, Utc.fix());
    match &status.run {
        // They change with the samples.
        Some(run) => text.replace(&run.log.figures(), "57 events, sha256 9f86"),
        None => text,
    }
}

#[test]
fn the_json_form_keeps_its_names() {
    let run = run(&until(|event| matches!(event, LoopEvent::Context { .. })));
    let json = serde_json::to_value(running_status(70, task_list(), run)).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["taskList"], "valid");
    assert_eq!(
        json["stories"][1],
        json!({
            "id": "US-002", "title": "Sums with tax", "passes": false,
            "reviewStatus": "needs_review", "reviewCount": 1, "failedAttempts": 0,
            "costUsd": 0.0, "state": "in review", "maxAttempts": 5, "blockedBy": [],
        })
    );
    assert_eq!(json["next"]["type"], "work");
    assert_eq!(json["totals"]["costUsd"], 1.5);
    let run = &json["run"];
    assert_eq!((&run["state"], &run["id"]), (&json!("running"), &json!(RUN)));
    assert_eq!(run["iteration"]["contextTokens"], 84_000);
    assert_eq!(run["lastActivity"]["text"], "Bash(cargo test -p cart)");
    assert_eq!(run["start"]["maxIterations"], 15);
}
