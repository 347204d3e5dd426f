//! A plugin without programs: the first session starts a build in the background.

use rustix::process::{Signal, kill_process_group};

use crate::machine::{Machine, PLUGIN, stop_hook_said};
use crate::tiny_plugin::{VERSION, any_runs_of, eventually, job_of, system_message};

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_plugin_is_installed_built_updated_and_uninstalled() {
    let machine = Machine::with_plugin_from_git();
    machine.plugin.hold_builds();
    let first = machine.session();
    let starts = first.hook_responses("SessionStart");
    let words = starts.iter().find_map(|start| system_message(start.stdout.as_bytes())).unwrap();
    assert!(words.contains("being fetched or built in the background"), "{words}");
    assert_eq!(stop_hook_said(&first), "");
    machine.plugin.let_builds_go();
    eventually("the programs are there", || machine.programs(VERSION).exists());
    assert_eq!(stop_hook_said(&machine.session()), format!("stop-guard {VERSION}\n"));

    machine.publish("9.10.0");
    machine.session();
    eventually("the new programs are there", || machine.programs("9.10.0").exists());
    assert_eq!(stop_hook_said(&machine.session()), "stop-guard 9.10.0\n");

    machine.publish("9.11.0");
    machine.plugin.hold_builds();
    machine.session();
    eventually("a build is under way", || machine.plugin.builds() == 3);
    let job = job_of(&machine.store("9.11.0"));
    machine.home.uninstall_plugin(PLUGIN, PLUGIN).unwrap();
    eventually("nothing is left running", || !any_runs_of(job));
    assert!(!machine.data().exists());
    let last = machine.session();
    assert_eq!(last.hook_responses("SessionStart"), []);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn concurrent_sessions_build_once_and_a_killed_build_is_continued() {
    let machine = Machine::with_plugin_from_git();
    machine.plugin.hold_builds();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| machine.session());
        }
    });
    eventually("a build is under way", || machine.plugin.builds() > 0);
    assert_eq!(machine.plugin.builds(), 1);
    let job = job_of(&machine.store(VERSION));
    kill_process_group(job, Signal::KILL).unwrap();
    eventually("nothing of it runs", || !any_runs_of(job));
    machine.plugin.let_builds_go();
    machine.session();
    eventually("the programs are there", || machine.programs(VERSION).exists());
    assert_eq!(stop_hook_said(&machine.session()), format!("stop-guard {VERSION}\n"));
    assert_eq!(machine.plugin.builds(), 2);
}
