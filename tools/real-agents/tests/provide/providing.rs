//! `scripts/provide.sh`: the state of a new session, and its messages.

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::tiny_plugin::{TinyPlugin, VERSION, eventually, write, write_program, write_programs};

#[test]
fn a_complete_local_build_is_linked() {
    let plugin = TinyPlugin::new();
    let build = plugin.root().join("target/debug");
    write_programs(&build, VERSION);
    assert_eq!(plugin.start_session(), None);
    assert_eq!(std::fs::read_link(plugin.link()).unwrap(), build);
    let newer = plugin.root().join("target/release");
    write_programs(&newer, VERSION);
    let later = SystemTime::now() + Duration::from_secs(5);
    let program = std::fs::File::open(newer.join("stop-guard")).unwrap();
    program.set_modified(later).unwrap();
    assert_eq!(plugin.start_session(), None);
    assert_eq!(std::fs::read_link(plugin.link()).unwrap(), newer);
    assert_eq!(plugin.builds(), 0);
}

#[test]
fn an_incomplete_build_or_another_version_is_not_linked() {
    let plugin = TinyPlugin::new();
    write_programs(&plugin.root().join("target/debug"), VERSION);
    std::fs::remove_file(plugin.root().join("target/debug/ralph-loop")).unwrap();
    write_programs(&plugin.root().join("target/release"), "9.9.8");
    plugin.start_session_and_wait();
    // Relative: a container may see the same data under another path.
    let obtained = Path::new("obtain").join(VERSION).join("programs");
    assert_eq!(std::fs::read_link(plugin.link()).unwrap(), obtained);
}

#[test]
fn programs_on_the_path_are_copied_and_unchanged() {
    let plugin = TinyPlugin::new();
    write_programs(&plugin.tools(), VERSION);
    assert_eq!(plugin.start_session(), None);
    write_programs(&plugin.tools(), "9.10.0");
    let output = plugin.entry("stop-guard").arg("--version").assert().success();
    output.stdout(format!("stop-guard {VERSION}\n"));
    assert_eq!(plugin.builds(), 0);
}

#[test]
fn the_first_session_does_not_wait_for_the_build_and_its_hooks_use_it() {
    let plugin = TinyPlugin::new();
    plugin.hold_builds();
    let message = plugin.start_session().unwrap();
    assert!(message.contains("being fetched or built in the background"), "{message}");
    assert!(message.contains(&*plugin.store().join("log").to_string_lossy()), "{message}");
    eventually("a build is under way", || plugin.builds() == 1);
    let asked = plugin.entry("ralph-loop").assert().code(2).get_output().stderr.clone();
    let asked = String::from_utf8(asked).unwrap();
    assert!(asked.contains("it is being fetched or built; log:"), "{asked}");
    plugin.let_builds_go();
    eventually("the programs are there", || plugin.link().exists());
    let output = plugin.entry("stop-guard").assert().success();
    output.stdout(format!("stop-guard {VERSION}\n"));
    eventually("the build's folder is removed", || !plugin.store().join("build").exists());
    assert_eq!(plugin.start_session(), None);
}

/// The failure message: of this session if the job fails at once, else of the next session.
fn failure_message(plugin: &TinyPlugin) -> String {
    let message = plugin.start_session_that_fails();
    message
        .filter(|message| message.contains("The next attempt is"))
        .or_else(|| plugin.start_session())
        .unwrap()
}

#[test]
fn a_failed_build_is_reported_once_and_retried_with_another_rust() {
    let plugin = TinyPlugin::new();
    plugin.install_cargo("[ \"$1\" = build ] || exit 0; echo no linker >&2; exit 101");
    let message = failure_message(&plugin);
    assert!(message.contains("cargo could not build it"), "{message}");
    assert_eq!(plugin.start_session(), None);
    assert_eq!(plugin.builds(), 1);
    let asked = plugin.entry("ralph-loop").assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(asked).unwrap().contains("cargo could not build it"));

    plugin.install_cargo("exec cargo \"$@\"");
    plugin.start_session_and_wait();
    assert_eq!(plugin.builds(), 2);
}

#[test]
fn a_failure_is_retried_after_some_hours() {
    let plugin = TinyPlugin::new();
    plugin.install_cargo("[ \"$1\" != build ]");
    plugin.start_session_that_fails();
    let failure = plugin.store().join("failure");
    let text = std::fs::read_to_string(&failure).unwrap();
    let (when, rest) = text.split_once('\n').unwrap();
    let before = when.parse::<u64>().unwrap() - 7 * 60 * 60;
    std::fs::write(&failure, format!("{before}\n{rest}")).unwrap();
    plugin.start_session();
    eventually("it was tried again", || plugin.builds() == 2);
}

#[test]
fn without_cargo_the_first_session_reports_the_reason() {
    let plugin = TinyPlugin::without_cargo();
    let message = plugin.start_session().unwrap();
    assert!(message.contains("cargo is not installed"), "{message}");
    assert_eq!(plugin.start_session(), None);
}

#[test]
fn a_session_of_a_loop_reports_the_failure_every_time() {
    let plugin = TinyPlugin::without_cargo();
    for _ in 0..2 {
        let mut start = plugin.script("provide.sh");
        let output = start.env("RALPH_RUN_ID", "run-1").assert().success().get_output().clone();
        let message = crate::tiny_plugin::system_message(&output.stdout).unwrap();
        assert!(message.starts_with("hook failure: "), "{message}");
    }
}

#[test]
fn an_old_version_is_removed_when_it_is_unused() {
    let plugin = TinyPlugin::new();
    plugin.start_session_and_wait();
    for (version, old_one_stays) in [("9.10.0", true), ("9.11.0", false)] {
        if !old_one_stays {
            let used = std::fs::File::open(plugin.store().join("used")).unwrap();
            used.set_modified(SystemTime::now() - Duration::from_secs(9 * 24 * 60 * 60)).unwrap();
        }
        plugin.set_version(version);
        plugin.start_session();
        let link = plugin.data().join("native").join(version);
        eventually("the new programs are there", || link.exists());
        plugin.entry("stop-guard").assert().success().stdout(format!("stop-guard {version}\n"));
        eventually("the job has ended", || {
            !plugin.data().join("native/obtain").join(version).join("build").exists()
        });
        plugin.start_session();
        assert_eq!(plugin.link().exists(), old_one_stays, "{version}");
        assert_eq!(plugin.store().exists(), old_one_stays, "{version}");
    }
}

#[test]
fn the_next_session_retries_a_temporary_failure() {
    let plugin = TinyPlugin::new();
    plugin.install_cargo("kill -9 $$");
    plugin.start_session_that_fails();
    plugin.hold_builds();
    let message = plugin.start_session().unwrap();
    assert!(message.contains("The last attempt failed: "), "{message}");
    assert!(message.contains("cargo was killed"), "{message}");
    plugin.let_builds_go();
    eventually("the programs are there", || plugin.link().exists());
}

#[test]
fn a_damaged_failure_file_is_ignored() {
    for when in ["x y", "", "99999999999"] {
        let plugin = TinyPlugin::without_cargo();
        write(&plugin.store().join("failure"), &format!("{when}\n\nan old reason\n"));
        let message = plugin.start_session().unwrap();
        assert!(message.contains("cargo is not installed"), "{when}: {message}");
    }
}

#[test]
fn the_rust_of_the_project_is_not_used() {
    let plugin = TinyPlugin::new();
    plugin.install_cargo("[ ! -e rust-toolchain.toml ] || exec sleep 60\n[ \"$1\" != build ]");
    write(&plugin.home().join("rust-toolchain.toml"), "");
    let message = failure_message(&plugin);
    assert!(message.contains("cargo could not build it"), "{message}");
    assert_eq!(plugin.start_session(), None);
    assert_eq!(plugin.builds(), 1);
}

#[test]
fn another_program_of_the_same_name_is_ignored() {
    let plugin = TinyPlugin::new();
    write_program(&plugin.tools().join("ralph-loop"), "#!/bin/sh\nexec sleep 60\n");
    plugin.start_session_and_wait();
    assert_eq!(plugin.builds(), 1);
}

#[test]
fn a_damaged_program_is_replaced() {
    let plugin = TinyPlugin::new();
    plugin.start_session_and_wait();
    let damaged = plugin.store().join("programs/command-guard");
    plugin.wait_for_the_job();
    write_program(&damaged, "");
    plugin.start_session();
    eventually("it is whole again", || damaged.metadata().is_ok_and(|file| file.len() > 0));
}

#[test]
fn an_unwritable_store_is_reported() {
    let plugin = TinyPlugin::new();
    write(&plugin.data(), "a file");
    for _ in 0..2 {
        let message = plugin.start_session().unwrap();
        assert!(message.contains("cannot store its programs in"), "{message}");
    }
    write_programs(&plugin.tools(), VERSION);
    assert_eq!(plugin.start_session(), None);
}

#[test]
fn environment_variables_have_no_effect() {
    let plugin = TinyPlugin::without_cargo();
    write_programs(&plugin.store().join("programs"), VERSION);
    let mut start = plugin.script("provide.sh");
    let output = start.env("suffix", ".x").env("name", "x").assert().success();
    output.stdout("");
    assert!(plugin.link().join("stop-guard").exists());
}
