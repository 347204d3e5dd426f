//! Programs that lie in a folder without a plugin around them: the runner makes one.

use serde_json::Value;
use simulator::Turn;

use crate::model;
use crate::staged_plugin::staged;
use crate::stories::submitted;
use crate::told::Told;
use crate::workshop::Workshop;

fn run(workshop: &Workshop) -> Told {
    let submit = workshop.stories().work("true", 0, submitted());
    workshop.run(&model([vec![submit, Turn::text("Submitted.")]]), &["-n", "1"])
}

/// Each hook answered once, by the program of the folder.
fn assert_hooks_ran_once(workshop: &Workshop, told: &Told) {
    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(told.all("guard-missing").len(), 0, "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"], "{told}");
    let folder = told.each("iteration-started", "folder")[0];
    let stream = workshop.read(format!("{folder}/stream.jsonl"));
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
fn a_plugin_is_made_around_them() {
    let workshop = Workshop::with_programs();
    let told = run(&workshop);
    assert_hooks_ran_once(&workshop, &told);
}

#[test]
fn it_takes_the_place_of_an_installed_one() {
    let workshop = Workshop::with_programs();
    let installed = staged();
    workshop.home.install_plugin(installed.path()).unwrap();
    let told = run(&workshop);
    assert_hooks_ran_once(&workshop, &told);
}
