//! A killed runner, and a runner that leaves nothing behind.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_fs::TempDir;

use crate::harness::{RUNNER, SOON, is_there};

#[expect(clippy::disallowed_methods, reason = "the one place that starts a runner")]
fn runner(script: &str, temporary: &Path) -> Child {
    Command::new(RUNNER)
        .arg(script)
        .env("TMPDIR", temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts a runner, kills it when `count` processes have printed their pids, and waits for their
/// end. Returns how long that took.
fn kill_runner_of(script: &str, count: usize) -> Duration {
    let temporary = TempDir::new().unwrap();
    let mut runner = runner(script, temporary.path());
    let lines = BufReader::new(runner.stdout.take().unwrap()).lines();
    let pids: Vec<String> = lines.take(count).map(Result::unwrap).collect();
    assert_eq!(pids.len(), count);
    assert!(pids.iter().all(|pid| is_there(pid)), "{pids:?}");
    runner.kill().unwrap();
    runner.wait().unwrap();
    let killed = Instant::now();
    // They are no children of this process, so it polls.
    while pids.iter().any(|pid| is_there(pid)) || is_used(temporary.path()) {
        assert!(killed.elapsed() < SOON, "{pids:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.elapsed()
}

fn is_used(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_some()
}

#[test]
fn killing_the_runner_ends_the_whole_tree() {
    let script = "setsid sh -c 'echo $$; exec sleep 300' & \
        (setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 300\" & exit 0' &) ; \
        echo $$; echo $PPID; exec sleep 300";
    let took = kill_runner_of(script, 4);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn after_a_killed_runner_unresponsive_processes_are_killed() {
    let script = "trap '' INT TERM HUP PIPE; setsid sh -c 'echo $$; exec sleep 300' & \
        echo $$; while :; do sleep 0.05; done";
    let took = kill_runner_of(script, 2);
    assert!(took >= Duration::from_millis(1400), "no grace: {took:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_run_leaves_no_files_and_shows_none_to_others() {
    let temporary = TempDir::new().unwrap();
    let script = "stat -c %a \"$TMPDIR\"/*";
    let output = runner(script, temporary.path()).wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"700\n");
    assert!(!is_used(temporary.path()));
}
