//! The hooks stand outside the sandbox, and hear of everything in it.

use serde_json::json;
use simulator::Turn;
use tasks::Mode;
use walls::NativeWall;

use crate::cell::{Cell, Went};
use crate::project_with_loop::{ProjectWithLoop, approved, model, stops, story};
use crate::staged_plugin::staged;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn the_stop_guard_blocks_an_agent_in_the_sandbox() {
    let cell = Cell::new(NativeWall::default());
    let plugin = staged();
    cell.home.install_plugin(plugin.path()).unwrap();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        project.agent_sets(&[(0, approved("I checked it myself"))]),
        Turn::bash("touch ~/outside"),
        Turn::text("Done and approved."),
        project.agent_sets(&[(0, json!({"reviewStatus": "needs_review"}))]),
        Turn::text("Submitted for review."),
    ]);
    let outcome = cell.walled(project.loop_session(&cell.home, &model)).run().unwrap();

    let stops = stops(&outcome);
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert!(stops[0].contains("implement iterations cannot approve"), "{}", stops[0]);
    assert_eq!(stops[1], "");
    assert_eq!(outcome.result_text(), Some("Submitted for review."));
    assert!(!cell.home.path().join("outside").exists());
    assert_eq!(project.status(), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn a_hook_hears_of_commands_before_they_run_and_can_write_where_they_cannot() {
    let mut cell = Cell::new(NativeWall::default());
    let deny = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "Not on a Sunday.",
    }});
    let hook = format!("cat >> ~/heard; grep -q forbidden ~/heard && echo '{deny}'; exit 0");
    let hooks = json!([{ "hooks": [{ "type": "command", "command": hook }] }]);
    cell.more_settings = json!({ "hooks": { "PreToolUse": hooks } });
    let answers = cell.run([Turn::bash("touch allowed"), Turn::bash("touch forbidden")]);

    assert_eq!(
        answers.iter().map(|answer| answer.went).collect::<Vec<_>>(),
        [Went::Well, Went::Wrong]
    );
    assert!(answers[1].text.contains("Not on a Sunday."), "{answers:?}");
    assert!(!cell.home.project().join("forbidden").exists());
    let heard = std::fs::read_to_string(cell.home.path().join("heard")).unwrap();
    assert!(heard.contains("\"command\":\"touch allowed\""), "{heard}");
}
