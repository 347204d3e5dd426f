//! The project state in a skill, before the model answers.

use simulator::Turn;

use crate::skill_test::SkillTest;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_skill_contains_the_state_of_the_loop() {
    let log = SkillTest::new().run("/ralph-status", [Turn::text("Nothing is done yet.")]);
    let skill = log.text_for_model(0, "# State of the Ralph loop");
    assert!(skill.contains("no plan yet: the task list has only the example story"), "{skill}");
    assert!(skill.contains("no run to report on"), "{skill}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_missing_program_is_reported_and_does_not_break_the_skill() {
    let skill_test = SkillTest::new();
    std::fs::remove_file(skill_test.plugin.path().join("bin/ralph-loop")).unwrap();
    let log = skill_test.run("/ralph-status", [Turn::text("It is missing.")]);
    // bash prints the program name before this text, zsh after it.
    log.text_for_model(0, "command not found");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn setting_up_names_the_installer_of_this_plugin() {
    let skill_test = SkillTest::new();
    let log = skill_test.run("/ralph-setup", [Turn::text("Ready.")]);
    let installer = format!("sh \"{}/scripts/install.sh\"", skill_test.plugin.path().display());
    let skill = log.text_for_model(0, &installer);
    assert!(skill.contains(&format!("ralph-loop {}", env!("CARGO_PKG_VERSION"))), "{skill}");
}
