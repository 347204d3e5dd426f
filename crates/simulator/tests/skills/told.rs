//! What a skill brings along of the project's state before the model says a word.

use simulator::Turn;

use crate::desk::Desk;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_state_of_the_loop_comes_with_the_skill() {
    let talk = Desk::new().talk("/ralph-status", [Turn::text("Nothing is done yet.")]);
    let skill = talk.heard(0, "# Where the Ralph loop stands");
    assert!(skill.contains("no plan yet: the task list has only the example story"), "{skill}");
    assert!(skill.contains("there is no run to report on"), "{skill}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_program_that_is_missing_is_told_and_does_not_break_the_skill() {
    let desk = Desk::new();
    std::fs::remove_file(desk.plugin.path().join("bin/ralph-loop")).unwrap();
    let talk = desk.talk("/ralph-status", [Turn::text("It is missing.")]);
    // bash names the program before these words, zsh after them.
    talk.heard(0, "command not found");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn setting_up_names_the_installer_of_this_plugin() {
    let desk = Desk::new();
    let talk = desk.talk("/ralph-setup", [Turn::text("Ready.")]);
    let installer = format!("sh \"{}/scripts/install.sh\"", desk.plugin.path().display());
    let skill = talk.heard(0, &installer);
    assert!(skill.contains(&format!("ralph-loop {}", env!("CARGO_PKG_VERSION"))), "{skill}");
}
