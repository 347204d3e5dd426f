//! The job in the background: one for all sessions, and gone when it should be.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::tiny_plugin::{TinyPlugin, VERSION, any_runs_of, eventually, job_of};

fn start_and_hold(plugin: &TinyPlugin) -> Pid {
    plugin.hold_builds();
    plugin.start_session();
    eventually("a build is under way", || plugin.builds() == 1);
    job_of(&plugin.store())
}

fn assert_finished(plugin: &TinyPlugin) {
    eventually("the programs are there", || plugin.link().exists());
    plugin.entry("stop-guard").assert().success().stdout(format!("stop-guard {VERSION}\n"));
    let group = job_of(&plugin.store());
    eventually("the job has ended", || !any_runs_of(group));
}

#[test]
fn ten_sessions_that_start_at_once_build_once() {
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
fn a_killed_build_is_taken_up_by_one_of_the_next_sessions() {
    let plugin = TinyPlugin::new();
    let killed = start_and_hold(&plugin);
    kill_process_group(killed, Signal::KILL).unwrap();
    eventually("nothing of it runs", || !any_runs_of(killed));
    // What the killed one left half done.
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
fn a_job_whose_first_process_is_killed_ends_as_a_whole() {
    let plugin = TinyPlugin::new();
    let killed = start_and_hold(&plugin);
    kill_process(killed, Signal::KILL).unwrap();
    eventually("nothing of it runs", || !any_runs_of(killed));
    plugin.let_builds_go();
    plugin.start_session_and_wait();
    assert_finished(&plugin);
}

#[test]
fn the_process_that_has_the_number_of_a_dead_holder_does_not_hold_the_lock() {
    let plugin = TinyPlugin::new();
    let lock = plugin.store().join("lock");
    std::fs::create_dir_all(&lock).unwrap();
    let mine = format!("{} 1 another-boot", std::process::id());
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
    // As a build that is under way does.
    std::fs::create_dir_all(plugin.store().join("build/release")).unwrap();
    eventually("nothing of it runs", || !any_runs_of(group));
    assert!(!plugin.data().exists());
}

#[test]
fn a_build_that_fails_because_the_data_were_removed_leaves_nothing() {
    let plugin = TinyPlugin::new();
    // It works on in a folder that it makes again, as cargo does.
    let store = "\"$HOME\"/.claude/plugins/data/*/native/obtain/*";
    plugin.install_cargo(&format!(
        "[ \"$1\" = build ] || exit 0\nset -- {store}\nrm -rf \"${{1%/native/*}}\"; mkdir -p \"$1/build\"\nexit 101"
    ));
    plugin.start_session();
    eventually("it was tried", || plugin.builds() == 1);
    eventually("nothing of it is left", || !plugin.data().exists());
}
