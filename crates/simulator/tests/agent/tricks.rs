//! Other acts of a scenario: any edits, visit counts across sessions, misleading output.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::project::Project;

fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_list_can_be_changed_in_any_way() {
    let project = Project::implement();
    let acts = [
        Act::set_story([("passes", json!(true)), ("acceptanceCriteria", json!(["less"]))]),
        Act::request_changes("again"),
        Act::RemoveStory { story: Some("US-002".into()) },
        Act::AddStory { story: object(json!({"id": "US-003"})) },
        Act::SetTop { field: "verifyCommands".into(), value: json!(["true"]) },
    ];
    let ended = project.play(&Scenario::new().rule(When::any(), acts)).complete();
    assert!(ended.status.success());
    assert_eq!(ended.tools(), ["Edit"; 5]);
    let story = project.story(0);
    assert_eq!((&story["passes"], &story["acceptanceCriteria"]), (&json!(true), &json!(["less"])));
    assert_eq!((&story["reviewCount"], &story["reviewFeedback"]), (&json!(1), &json!("again")));
    assert_eq!(project.story(1), json!({"id": "US-003"}));
    assert!(project.read("repo/ralph/tasks.json").contains("verifyCommands"));
}

#[test]
fn visits_are_counted_across_sessions_and_crashes() {
    let project = Project::implement();
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-001").visit(1), [Act::Abort])
        .rule(When::mode(Mode::Implement).visit(2), [Act::Crash { exit_code: 3 }])
        .memory("memory");
    assert_eq!(project.play(&scenario).complete().status.code(), None);
    assert_eq!(project.play(&scenario).complete().status.code(), Some(3));
    assert_eq!(project.play(&scenario).complete().status.code(), Some(0));
    assert_eq!(project.story(0)["reviewStatus"], "needs_review", "honest the third time");
    assert_eq!(project.read("memory/visits.txt"), "implement US-001\n".repeat(3));
}

#[test]
fn an_echoed_promise_appears_only_in_the_tool_result() {
    let project = Project::implement();
    let ended = project.play(&Scenario::new().rule(When::any(), [Act::EchoPromise])).complete();
    assert_eq!(ended.tool_results(), ["<promise>COMPLETE</promise>"]);
    assert_eq!(ended.result()["result"], "Finished.");
}

#[test]
fn a_failing_command_is_a_tool_error_and_the_session_continues() {
    let project = Project::implement();
    let acts = [Act::bash("echo oops >&2; exit 3")];
    let ended = project.play(&Scenario::new().rule(When::any(), acts)).complete();
    assert!(ended.status.success());
    assert_eq!(ended.tool_results(), ["Exit code 3\noops"]);
}

#[test]
fn the_result_follows_garbage() {
    let project = Project::implement();
    let acts = [Act::Garbage { lines: 8 }];
    let ended = project.play(&Scenario::new().rule(When::any(), acts)).complete();
    assert!(std::str::from_utf8(&ended.stdout).is_err());
    assert_eq!(ended.result()["result"], "Finished.");
}

#[test]
fn an_invalid_scenario_is_refused() {
    let project = Project::implement();
    project.write("bad.json", r#"{"rules":[{"acts":["dance"]}]}"#);
    let bad = project.around().join("bad.json");
    let ended = project.run().env(simulator::SCENARIO_VARIABLE, bad).complete();
    assert_eq!((ended.status.code(), ended.lines.len()), (Some(1), 0));
}

#[test]
fn without_a_configuration_folder_nothing_is_left_behind() {
    let project = Project::implement();
    project.write("tmp/.keep", "");
    let tmp = project.around().join("tmp");
    let ended = project
        .play(&Scenario::new().rule(When::any(), []))
        .env("CLAUDE_CONFIG_DIR", "")
        .env("TMPDIR", &tmp)
        .complete();
    assert!(ended.status.success());
    assert_eq!(std::fs::read_dir(tmp).unwrap().count(), 1);
}

#[test]
fn the_pause_follows_each_line() {
    let project = Project::implement();
    let started = Instant::now();
    let scenario = Scenario::new().rule(When::any(), [Act::say("look")]);
    let ended = project.play(&scenario).env(simulator::PAUSE_VARIABLE, "30").complete();
    let lines = u32::try_from(ended.lines.len()).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(30) * lines);
}
