//! Programs that lie in a folder without a plugin around them: the runner makes one.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;

use serde_json::Value;
use simulator::Turn;

use crate::model;
use crate::staged_plugin::staged;
use crate::stories::submitted;
#[cfg(unix)]
use crate::stories::{APPROVED, approved};
use crate::told::Told;
use crate::workshop::Workshop;
#[cfg(unix)]
use crate::workshop::install_command;

fn run(workshop: &Workshop) -> Told {
    let submit = workshop.stories().work("true", 0, submitted());
    workshop.run(&model([vec![submit, Turn::text("Submitted.")]]), &["-n", "1"])
}

/// Each hook answered once in each session, by the program of the folder.
fn assert_hooks_ran_once(workshop: &Workshop, told: &Told) {
    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(told.all("hook-missing").len(), 0, "{told}");
    let folders = told.each("iteration-started", "folder");
    assert_eq!(told.each("iteration-ended", "status"), vec!["accepted"; folders.len()], "{told}");
    for folder in folders {
        assert_hooks_of_session_ran_once(&workshop.read(format!("{folder}/stream.jsonl")));
    }
}

fn assert_hooks_of_session_ran_once(stream: &str) {
    let lines: Vec<Value> =
        stream.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in ["SessionStart", "PostToolUse", "Stop"] {
        let mut answers = lines
            .iter()
            .filter(|line| line["subtype"] == "hook_response" && line["hook_event"] == event);
        let answer = answers.next().unwrap_or_else(|| panic!("no {event}: {stream}"));
        assert_eq!(answer["exit_code"], 0, "{answer}");
        assert_eq!(answers.next(), None, "{event}: {stream}");
    }
    let init = lines.iter().find(|line| line["subtype"] == "init").unwrap();
    let plugins = init["plugins"].as_array().unwrap();
    let ours: Vec<_> = plugins.iter().filter(|plugin| plugin["name"] == "ralph").collect();
    assert_eq!(ours.len(), 1, "{init}");
    assert!(ours[0]["path"].as_str().unwrap().contains("/.ralph/runs/"), "{init}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_plugin_is_made_around_them() {
    let workshop = Workshop::with_programs();
    let told = run(&workshop);
    assert_hooks_ran_once(&workshop, &told);
}

#[cfg(unix)]
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn installed_programs_guard_a_loop_also_while_they_are_upgraded() {
    let workshop = Workshop::with_installed_programs();
    let mut stories = workshop.stories();
    let upgrade = install_command(workshop.programs.path());
    let submit = stories.work(&upgrade, 0, submitted());
    let approve = stories.work("true", 0, approved(1));
    let sessions = [vec![submit, Turn::text("Submitted.")], vec![approve, Turn::text(APPROVED)]];
    let ralph_loop = workshop.programs.path().join("bin/ralph-loop");
    let before = std::fs::metadata(&ralph_loop).unwrap().ino();
    // No wall but the guard: the agent plays the user, who upgrades in another terminal.
    let told = workshop.run(&model(sessions), &["-n", "2", "--no-sandbox"]);
    assert_ne!(std::fs::metadata(&ralph_loop).unwrap().ino(), before, "{told}");
    assert_hooks_ran_once(&workshop, &told);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn it_takes_the_place_of_an_installed_one() {
    let workshop = Workshop::with_programs();
    let installed = staged();
    workshop.home.install_plugin(installed.path()).unwrap();
    let told = run(&workshop);
    assert_hooks_ran_once(&workshop, &told);
}
