//! The entries of `bin/`: which program they run, and what they do without one.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use assert_cmd::Command;

use crate::tiny_plugin::{
    PROGRAMS, TinyPlugin, VERSION, system_message, write, write_program, write_programs,
};

/// The folder of the program that ran.
fn ran(command: &mut Command) -> PathBuf {
    let output = command.assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    output.lines().next().unwrap().into()
}

/// Possible folders of the programs, in order of preference.
fn places(plugin: &TinyPlugin) -> [PathBuf; 4] {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        (system, "x86_64") => format!("{system}-x64"),
        (system, _) => format!("{system}-arm64"),
    };
    [
        plugin.link(),
        plugin.root().join("native").join(platform),
        plugin.root().join("target/debug"),
        plugin.tools(),
    ]
}

#[test]
fn the_first_folder_with_the_program_wins() {
    let plugin = TinyPlugin::without_cargo();
    let places = places(&plugin);
    for place in &places {
        write_programs(place, VERSION);
    }
    for place in &places {
        let found = ran(&mut plugin.entry("stop-guard"));
        assert_eq!(found.canonicalize().unwrap(), place.canonicalize().unwrap());
        std::fs::remove_dir_all(place).unwrap();
    }
    plugin.entry("ralph-loop").assert().code(2);
}

#[test]
fn a_program_of_another_version_is_skipped() {
    let plugin = TinyPlugin::without_cargo();
    let [_, own, build, path] = places(&plugin);
    write_programs(&own, "9.9.8");
    write_programs(&build, "9.9.99");
    write_programs(&plugin.data().join("native/9.9.8"), "9.9.8");
    plugin.entry("ralph-loop").assert().code(2);
    write_programs(&path, VERSION);
    assert_eq!(ran(&mut plugin.entry("ralph-loop")), path);
}

#[test]
fn the_newest_build_wins() {
    let plugin = TinyPlugin::without_cargo();
    let [debug, release] = ["target/debug", "target/release"].map(|at| plugin.root().join(at));
    write_programs(&debug, VERSION);
    write_programs(&release, VERSION);
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    for (old, new) in [(&debug, &release), (&release, &debug)] {
        let touch = |folder: &PathBuf, time| {
            let program = std::fs::File::open(folder.join("stop-guard")).unwrap();
            program.set_modified(time).unwrap();
        };
        touch(old, long_ago);
        touch(new, SystemTime::now());
        let found = ran(&mut plugin.entry("stop-guard"));
        assert_eq!(found.canonicalize().unwrap(), new.canonicalize().unwrap());
    }
}

#[test]
fn a_command_of_the_agent_finds_the_programs_of_the_hooks() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.link(), VERSION);
    let mut command = plugin.entry("ralph-loop");
    assert_eq!(ran(command.env_remove("CLAUDE_PLUGIN_DATA")), plugin.link());
}

#[test]
fn arguments_and_input_arrive_unchanged() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.link(), VERSION);
    let mut command = plugin.entry("stop-guard");
    let output = command.args(["a b", "", "it's"]).write_stdin("{\"in\": 1}\n").assert().success();
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(printed.ends_with("\n<a b><><it's>{\"in\": 1}\n"), "{printed}");
}

#[test]
fn a_hook_without_its_program_allows_everything() {
    let plugin = TinyPlugin::without_cargo();
    for hook in ["stop-guard", "context-monitor", "command-guard"] {
        let output = plugin.entry(hook).write_stdin("{}").assert().success().get_output().clone();
        assert_eq!(output.stdout, b"", "{hook}");
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(words.starts_with(&format!("ralph: {hook} {VERSION} is missing: ")), "{words}");
        assert_eq!(words.lines().count(), 1, "{words}");
    }
}

#[test]
fn a_session_of_a_loop_reports_a_missing_hook() {
    let plugin = TinyPlugin::without_cargo();
    let says = |command: &mut Command| {
        system_message(&command.assert().success().get_output().stdout).unwrap_or_default()
    };
    let of_a_run = says(plugin.entry("stop-guard").env("RALPH_RUN_ID", "run-1"));
    assert!(of_a_run.contains("hook failure: stop-guard"), "{of_a_run}");
    write(&plugin.home().join(".ralph-active"), "{}");
    let marked = says(&mut plugin.entry("command-guard"));
    assert!(marked.contains("hook failure: command-guard"), "{marked}");
}

#[test]
fn an_entry_on_the_path_does_not_find_itself_or_another_plugins() {
    let [plugin, other] = [TinyPlugin::without_cargo(), TinyPlugin::without_cargo()];
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        plugin.root().join("bin").display(),
        other.root().join("bin").display()
    );
    let output = plugin.entry("ralph-loop").env("PATH", path).assert().code(2);
    let words = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(words.contains("the next session of Claude Code"), "{words}");
}

#[test]
fn environment_variables_do_not_change_the_scripts_variables() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.tools(), VERSION);
    let mut command = plugin.entry("ralph-loop");
    assert_eq!(ran(command.env("suffix", ".x").env("name", "x")), plugin.tools());
}

#[test]
fn a_script_on_the_path_that_runs_an_entry_is_not_the_program() {
    let plugin = TinyPlugin::without_cargo();
    for name in PROGRAMS {
        let entry = plugin.root().join("bin").join(name);
        let entry = entry.display().to_string().replace('\'', r"'\''");
        write_program(&plugin.tools().join(name), &format!("#!/bin/sh\nexec '{entry}' \"$@\"\n"));
    }
    plugin.entry("ralph-loop").assert().code(2);
    let message = plugin.start_session().unwrap();
    assert!(message.contains("cargo is not installed"), "{message}");
}

#[test]
fn an_empty_program_is_skipped() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.tools(), VERSION);
    write_program(&plugin.link().join("stop-guard"), "");
    assert_eq!(ran(&mut plugin.entry("stop-guard")), plugin.tools());
}

#[test]
fn obtained_programs_are_found_without_the_link() {
    let plugin = TinyPlugin::without_cargo();
    let got = plugin.store().join("programs");
    write_programs(&got, VERSION);
    assert_eq!(ran(&mut plugin.entry("stop-guard")), got);
}

#[test]
fn a_link_to_an_entry_works() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.link(), VERSION);
    let link = plugin.tools().join("ralph-loop");
    std::os::unix::fs::symlink(plugin.root().join("bin/ralph-loop"), &link).unwrap();
    assert_eq!(ran(&mut plugin.command(&link)), plugin.link());
}

#[test]
fn a_loop_without_a_path_is_warned_too() {
    let plugin = TinyPlugin::without_cargo();
    write(&plugin.store().join("failure"), "1\nx\na \"reason\" with \\ and \t in it\n");
    let mut command = plugin.entry("stop-guard");
    let output = command.env("PATH", "").env("RALPH_RUN_ID", "run-1").assert().success();
    let words = system_message(&output.get_output().stdout).unwrap();
    assert!(words.contains("a \"reason\" with \\ and   in it"), "{words}");
}
