//! What a skill may run unasked, for a user who is asked about everything else.

use simulator::Turn;

use crate::desk::Desk;

/// Takes back what the harness gives to every session.
const PERMISSIONS_COUNT: &str =
    r#"{ "permissions": { "disableBypassPermissionsMode": "disable" } }"#;

fn denied(skill: &str, commands: &[&str]) -> Vec<String> {
    let turns = commands.iter().map(|command| Turn::bash(*command));
    let desk = Desk::new();
    let talk = desk.talk_with(skill, turns, |session| {
        session.plugin_dir(desk.plugin.path()).arg("--settings").arg(PERMISSIONS_COUNT)
    });
    let result = talk.outcome.result().unwrap();
    let denials = result["permission_denials"].as_array().unwrap().iter();
    let command = |denial: &serde_json::Value| denial["tool_input"]["command"].clone();
    denials.map(|denial| command(denial).as_str().unwrap().to_owned()).collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_plan_is_checked_unasked_and_no_loop_is_started_so() {
    let commands = ["ralph-loop validate --json", "ralph-loop validate", "ralph-loop --fresh"];
    assert_eq!(denied("/ralph-plan a filter", &commands), ["ralph-loop --fresh"]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_state_is_looked_at_unasked_and_nothing_is_resumed_so() {
    let commands = ["ralph-loop status --json", "ralph-loop report", "ralph-loop --resume"];
    assert_eq!(denied("/ralph-status", &commands), ["ralph-loop --resume"]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn setting_up_looks_unasked_and_changes_nothing_so() {
    let commands = ["ralph-loop doctor --help", "ralph-loop init --yes"];
    assert_eq!(denied("/ralph-setup", &commands), ["ralph-loop init --yes"]);
}
