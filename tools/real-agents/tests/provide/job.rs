//! The background job: one for all sessions, and it ends when it must.

use std::time::{Duration, SystemTime};

use assert_cmd::Command;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::tiny_plugin::{TinyPlugin, VERSION, any_runs_of, eventually, job_of, write_programs};

fn start_and_hold(plugin: &TinyPlugin) -> Pid {
    plugin.hold_builds();
    plugin.start_session();
    eventually("a build is under way", || plugin.builds() == 1);
    job_of(&plugin.store())
}

fn assert_finished(plugin: &TinyPlugin) {
    eventually("the programs are there", || plugin.link().exists());
    plugin.entry("stop-guard").assert().success().stdout(format!("stop-guard {VERSION}\n"));
    plugin.wait_for_the_job();
}

/// The PID namespace as `lock.sh` identifies it.
fn pid_namespace(plugin: &TinyPlugin) -> String {
    let mut ask = Command::new("sh");
    ask.args(["-c", ". \"$0\" && pid_namespace"]).arg(plugin.root().join("scripts/lock.sh"));
    let answer = ask.assert().success().get_output().stdout.clone();
    String::from_utf8(answer).unwrap().trim_end().to_owned()
}

#[test]
fn ten_concurrent_sessions_build_once() {
    let plugin = TinyPlugin::new();
    plugin.hold_builds();
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| assert!(plugin.start_session().is_some()));
        }
    });
    plugin.let_builds_go();
    assert_finished(&plugin);
    assert_eq!(plugin.builds(), 1);
}

#[test]
fn a_later_session_continues_a_killed_build() {
    let plugin = TinyPlugin::new();
    let killed = start_and_hold(&plugin);
    kill_process_group(killed, Signal::KILL).unwrap();
    eventually("nothing of it runs", || !any_runs_of(killed));
    // Leftovers of the killed job.
    std::fs::create_dir(plugin.store().join("programs.half")).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| plugin.start_session());
        }
    });
    plugin.let_builds_go();
    assert_finished(&plugin);
    assert_eq!(plugin.builds(), 2);
    assert!(!plugin.store().join("programs.half").exists());
}

#[test]
fn killing_the_first_process_ends_the_whole_job() {
    let plugin = TinyPlugin::new();
    let killed = start_and_hold(&plugin);
    kill_process(killed, Signal::KILL).unwrap();
    eventually("nothing of it runs", || !any_runs_of(killed));
    plugin.let_builds_go();
    plugin.start_session_and_wait();
    assert_finished(&plugin);
}

#[test]
fn a_reused_process_id_does_not_hold_the_lock() {
    let plugin = TinyPlugin::new();
    let lock = plugin.store().join("lock");
    std::fs::create_dir_all(&lock).unwrap();
    let mine = format!("{} 1 another-boot {}", std::process::id(), pid_namespace(&plugin));
    std::os::unix::fs::symlink(mine, lock.join("7")).unwrap();
    plugin.start_session_and_wait();
    assert!(lock.join("8").is_symlink() && !lock.join("7").is_symlink());
    assert_finished(&plugin);
}

#[test]
fn removing_the_plugins_data_ends_the_job_and_leaves_nothing() {
    let plugin = TinyPlugin::new();
    let group = start_and_hold(&plugin);
    std::fs::remove_dir_all(plugin.data()).unwrap();
    // As a running build does.
    std::fs::create_dir_all(plugin.store().join("build/release")).unwrap();
    eventually("nothing of it runs", || !any_runs_of(group));
    assert!(!plugin.data().exists());
}

#[test]
fn a_build_that_fails_because_the_data_were_removed_leaves_nothing() {
    let plugin = TinyPlugin::new();
    // It continues in a folder that it creates again, as cargo does.
    let store = "\"$HOME\"/.claude/plugins/data/*/native/obtain/*";
    plugin.install_cargo(&format!(
        "[ \"$1\" = build ] || exit 0\nset -- {store}\nrm -rf \"${{1%/native/*}}\"; mkdir -p \"$1/build\"\nexit 101"
    ));
    plugin.start_session();
    eventually("it was tried", || plugin.builds() == 1);
    eventually("nothing of it is left", || !plugin.data().exists());
}

#[test]
fn a_replaced_job_keeps_the_work_of_its_successor() {
    let plugin = TinyPlugin::new();
    let killed = start_and_hold(&plugin);
    kill_process(killed, Signal::KILL).unwrap();
    // The killed job holds the lock until it has ended.
    eventually("another one has the lock", || {
        plugin.start_session();
        plugin.store().join("lock/2").is_symlink()
    });
    eventually("nothing of the old one runs", || !any_runs_of(killed));
    assert!(plugin.store().join("lock/2").is_symlink());
    plugin.let_builds_go();
    assert_finished(&plugin);
}

#[test]
fn a_holder_in_a_container_counts_for_a_while() {
    let plugin = TinyPlugin::new();
    let lock = plugin.store().join("lock");
    std::fs::create_dir_all(&lock).unwrap();
    std::os::unix::fs::symlink("1 1 this-boot pid:[1]", lock.join("1")).unwrap();
    assert!(plugin.start_session().unwrap().contains("being fetched or built"));
    assert!(lock.join("1").is_symlink());
    let folder = std::fs::File::open(&lock).unwrap();
    folder.set_modified(SystemTime::now() - Duration::from_secs(200)).unwrap();
    plugin.start_session_and_wait();
    assert_finished(&plugin);
    assert_eq!(plugin.builds(), 1);
}

#[test]
fn programs_are_replaced_only_by_complete_ones() {
    let plugin = TinyPlugin::new();
    write_programs(&plugin.store().join("programs"), VERSION);
    std::fs::remove_file(plugin.store().join("programs/command-guard")).unwrap();
    start_and_hold(&plugin);
    assert!(plugin.store().join("programs/stop-guard").exists());
    plugin.let_builds_go();
    let whole = plugin.store().join("programs/command-guard");
    eventually("all programs are there", || whole.exists());
    assert_finished(&plugin);
    let left = std::fs::read_dir(plugin.store()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.filter(|name| name.to_string_lossy().starts_with("programs")).count(), 1);
}
