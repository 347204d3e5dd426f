//! Orders of a user to a prompt loop. The agent gives them here; the source makes no difference.

use assert_cmd::cargo::cargo_bin;
use events::{LoopEvent, RunEnd};
use project::orders::Order;
use serde_json::{Value, json};

use crate::harness::{PROMISE, Project};

const TASK_FILE: [&str; 2] = ["prompt", "task.md"];

fn say(order: &str) -> String {
    format!("'{}' {order} >&2", cargo_bin("ralph-loop").display())
}

fn state(project: &Project) -> Value {
    serde_json::from_str(&project.read(".ralph/prompt-state.json")).unwrap()
}

#[test]
fn the_next_prompt_has_the_instruction_and_skip_is_refused() {
    let first =
        format!("{}; {}; echo 'not yet'", say("steer 'Mind the ${MODE} gap.'"), say("skip"));
    let project = Project::new().agent([&first, "echo 'not yet'", PROMISE]);
    let run = project.run(&TASK_FILE);
    run.assert_end(RunEnd::Complete);
    let contains: Vec<bool> =
        project.prompts().iter().map(|prompt| prompt.contains("> Mind the ${MODE} gap.")).collect();
    assert_eq!(contains, [false, true, false]);
    let skips =
        |event: &LoopEvent| matches!(event, LoopEvent::OrderAccepted { order: Order::Skip { .. } });
    assert!(!run.events.iter().any(skips), "{:?}", run.events);
    assert_eq!(state(&project)["steers"]["waiting"], json!([]));
}

#[test]
fn a_retry_gets_the_instruction_again() {
    let first = format!("{}; echo 'not yet'", say("steer Mind the gap."));
    let project = Project::new().agent([&first, "exit 3", "echo 'not yet'", PROMISE]);
    project.run(&TASK_FILE).assert_end(RunEnd::Complete);
    let contains: Vec<bool> =
        project.prompts().iter().map(|prompt| prompt.contains("Mind the gap.")).collect();
    assert_eq!(contains, [false, true, true, false]);
}

#[test]
fn a_stop_ends_it_after_the_answer_and_keeps_the_instruction() {
    let first = format!("{}; {}; echo 'not yet'", say("steer Mind the gap."), say("stop"));
    let project = Project::new().agent([&first, PROMISE]);
    project.run(&TASK_FILE).assert_end(RunEnd::Stopped);
    assert_eq!(state(&project)["steers"]["waiting"], json!(["Mind the gap."]));
    project.run(&TASK_FILE).assert_end(RunEnd::Complete);
    assert!(project.prompts()[1].contains("Mind the gap."));
}

#[test]
fn an_undelivered_instruction_is_reported() {
    let project = Project::new().agent([&format!("{}; {PROMISE}", say("steer Mind the gap."))]);
    let run = project.run(&TASK_FILE);
    run.assert_end(RunEnd::Complete);
    let lost = LoopEvent::Warning {
        text: "instruction not delivered, because the run ended: Mind the gap.".into(),
    };
    assert!(run.events.contains(&lost), "{:?}", run.events);
}
