//! Programs in a folder without a plugin: the runner creates one.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;

use serde_json::Value;
use simulator::Turn;

use crate::model;
use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
#[cfg(unix)]
use crate::run_setup::install_command;
use crate::staged_plugin::staged;
use crate::stories::submitted;
#[cfg(unix)]
use crate::stories::{APPROVED, approved};

fn run(setup: &RunSetup) -> RunOutput {
    let submit = setup.stories().work("true", 0, submitted());
    setup.run(&model([vec![submit, Turn::text("Submitted.")]]), &["-n", "1"])
}

/// Each hook answered once in each session, with the program of the folder.
fn assert_hooks_ran_once(setup: &RunSetup, output: &RunOutput) {
    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    let folders = output.each("iteration-started", "folder");
    assert_eq!(
        output.each("iteration-ended", "status"),
        vec!["accepted"; folders.len()],
        "{output}"
    );
    for folder in folders {
        assert_hooks_of_session_ran_once(&setup.read(format!("{folder}/stream.jsonl")));
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
fn the_runner_creates_a_plugin_for_them() {
    let setup = RunSetup::with_programs();
    let output = run(&setup);
    assert_hooks_ran_once(&setup, &output);
}

#[cfg(unix)]
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_upgrade_during_a_loop_keeps_the_hooks_working() {
    let setup = RunSetup::with_installed_programs();
    let mut stories = setup.stories();
    let upgrade = install_command(setup.programs.path());
    let submit = stories.work(&upgrade, 0, submitted());
    let approve = stories.work("true", 0, approved(1));
    let sessions = [vec![submit, Turn::text("Submitted.")], vec![approve, Turn::text(APPROVED)]];
    let ralph_loop = setup.programs.path().join("bin/ralph-loop");
    let before = std::fs::metadata(&ralph_loop).unwrap().ino();
    // Without a sandbox: the agent acts as the user, who upgrades in another terminal.
    let output = setup.run(&model(sessions), &["-n", "2", "--no-sandbox"]);
    assert_ne!(std::fs::metadata(&ralph_loop).unwrap().ino(), before, "{output}");
    assert_hooks_ran_once(&setup, &output);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn it_replaces_an_installed_plugin() {
    let setup = RunSetup::with_programs();
    let installed = staged();
    setup.home.install_plugin(installed.path()).unwrap();
    let output = run(&setup);
    assert_hooks_ran_once(&setup, &output);
}
