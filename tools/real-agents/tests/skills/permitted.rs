//! What a skill may run without permission prompts.

use simulator::Turn;

use crate::skill_test::SkillTest;

/// Revokes the permissions that the harness gives every session.
const PERMISSIONS_COUNT: &str =
    r#"{ "permissions": { "disableBypassPermissionsMode": "disable" } }"#;

fn denied(skill: &str, commands: &[&str]) -> Vec<String> {
    let turns = commands.iter().map(|command| Turn::bash(*command));
    let skill_test = SkillTest::new();
    let log = skill_test.run_with(skill, turns, |session| {
        session.plugin_dir(skill_test.plugin.path()).arg("--settings").arg(PERMISSIONS_COUNT)
    });
    let result = log.outcome.result().unwrap();
    let denials = result["permission_denials"].as_array().unwrap().iter();
    let command = |denial: &serde_json::Value| denial["tool_input"]["command"].clone();
    denials.map(|denial| command(denial).as_str().unwrap().to_owned()).collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn planning_may_validate_and_not_start_a_loop() {
    let commands = ["ralph-loop validate --json", "ralph-loop validate", "ralph-loop --fresh"];
    assert_eq!(denied("/ralph-plan a filter", &commands), ["ralph-loop --fresh"]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn status_may_read_and_not_resume() {
    let commands = ["ralph-loop status --json", "ralph-loop report", "ralph-loop --resume"];
    assert_eq!(denied("/ralph-status", &commands), ["ralph-loop --resume"]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn setup_may_check_and_not_change() {
    let commands = ["ralph-loop doctor --help", "ralph-loop init --yes"];
    assert_eq!(denied("/ralph-setup", &commands), ["ralph-loop init --yes"]);
}
