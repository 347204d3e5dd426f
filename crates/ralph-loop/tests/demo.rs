//! `ralph-loop demo` with nothing but the four programs that are shipped, in a folder of their own.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;
use std::time::Duration;

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use predicates::prelude::*;
use predicates::str::contains;
use simulator::{Act, SCENARIO_VARIABLE, Scenario};

fn put(name: &str, folder: &Path) {
    let built = cargo_bin("ralph-loop").with_file_name(name);
    test_repo::place_program(&built, &folder.join(name));
}

fn demo(bin: &Path, home: &Path, place: &Path, more: &[&str]) -> Assert {
    assert_cmd::Command::new(bin.join("ralph-loop"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .args(["demo", "--no-emoji", "--dir"])
        .arg(place)
        .args(more)
        .timeout(Duration::from_secs(180))
        .assert()
}

#[test]
fn it_needs_no_program_but_those_that_are_shipped() {
    let dir = TempDir::new().unwrap();
    let (bin, home, place) =
        (dir.path().join("b in"), dir.path().join("home"), dir.path().join("pl ace"));
    for folder in [&bin, &home] {
        std::fs::create_dir(folder).unwrap();
    }
    for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
        put(name, &bin);
    }
    let shown = demo(&bin, &home, &place, &["--fast"]).success();
    let list = std::fs::read_to_string(place.join("greeter/ralph/tasks.json")).unwrap();
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let stories = list["userStories"].as_array().unwrap();
    assert!(stories.iter().all(|story| story["passes"] == true), "{list:#}\n{shown}");
    let (program, project) = (bin.join("ralph-loop"), place.join("greeter"));
    shown.stdout(contains(format!("'{}' status -d '{}'", program.display(), project.display())));
    let agent = std::fs::canonicalize(place.join("simulated-agent")).unwrap();
    assert_eq!(agent, bin.join("ralph-loop").canonicalize().unwrap());
}

#[test]
fn three_lanes_show_a_conflict_and_its_solution() {
    let dir = TempDir::new().unwrap();
    let bin = dir.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
        put(name, &bin);
    }
    let place = dir.path().join("place");
    // With its pauses, so that both stories begin before one is merged.
    let shown = demo(&bin, dir.path(), &place, &["-j", "3"]).success();
    let output = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    for lane in ["[1 US-00", "[2 US-00", "[3 US-00"] {
        assert!(output.contains(lane), "{output}");
    }
    assert_eq!(output.matches("failed at merge").count(), 1, "{output}");
    assert_eq!(output.matches("is merged into ralph/greeter").count(), 3, "{output}");
    let project = place.join("greeter");
    let commands = test_repo::git(&project, &["show", "ralph/greeter:commands.txt"]);
    assert_eq!(commands, "greet NAME\nfarewell NAME");
    let branch = test_repo::git(&project, &["branch", "--show-current"]);
    assert!(branch.trim() != "ralph/greeter", "{branch}");
}

#[test]
fn a_folder_that_holds_anything_is_left_as_it_is() {
    let dir = TempDir::new().unwrap();
    let (bin, place) = (dir.path().join("bin"), dir.path().join("place"));
    for folder in [&bin, &place] {
        std::fs::create_dir(folder).unwrap();
    }
    for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
        put(name, &bin);
    }
    std::fs::write(place.join("scenario.json"), "mine").unwrap();
    demo(&bin, dir.path(), &place, &["--fast"]).code(2).stderr(contains("is not empty\nhint: "));
    assert_eq!(std::fs::read_to_string(place.join("scenario.json")).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1);

    // It is no folder.
    demo(&bin, dir.path(), &place.join("scenario.json"), &["--fast"]).code(2);
}

/// To run a command in a session of its own, the agent starts itself once more.
#[test]
fn called_like_the_agent_it_stays_the_agent_when_it_runs_commands() {
    let dir = TempDir::new().unwrap();
    let agent = dir.path().join("simulated-agent");
    std::os::unix::fs::symlink(cargo_bin("ralph-loop"), &agent).unwrap();
    let scenario = dir.path().join("scenario.json");
    let acts = [Act::bash("echo ran >ran.txt"), Act::finish("Done.")];
    Scenario::new().otherwise(acts).save(&scenario).unwrap();
    assert_cmd::Command::new(&agent)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", dir.path())
        .env(SCENARIO_VARIABLE, &scenario)
        .current_dir(dir.path())
        .args(["-p", "--output-format", "stream-json", "--verbose"])
        .write_stdin("Go on.")
        .timeout(Duration::from_secs(180))
        .assert()
        .success();
    assert!(predicates::path::is_file().eval(&dir.path().join("ran.txt")));
}
