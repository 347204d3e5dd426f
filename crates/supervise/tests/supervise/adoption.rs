//! Killed or stopped keepers: the runner ends the tree itself.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use assert_fs::TempDir;

use crate::harness::RUNNER;

/// A daemon without environment. It writes to `beats` while it runs.
const DAEMON: &str = "setsid env -i /bin/sh -c \
    'trap \"\" TERM HUP; while :; do echo >> beats; sleep 0.01; done' > /dev/null 2>&1 < /dev/null & \
    until [ -s beats ]; do sleep 0.01; done";

const SILENCE: Duration = Duration::from_millis(300);

#[expect(clippy::disallowed_methods, reason = "the one place that starts a runner to its end")]
fn run(folder: &TempDir, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn assert_daemon_ended(folder: &TempDir, output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    let beats = || std::fs::metadata(folder.path().join("beats")).unwrap().len();
    let at_the_end = beats();
    std::thread::sleep(SILENCE);
    assert_eq!(beats(), at_the_end, "the daemon still runs: {stderr}");
    assert!(stderr.contains("name: \"sh\"") && stderr.contains("alive: []"), "{stderr}");
    stderr
}

#[test]
fn a_daemon_of_a_killed_keeper_is_ended_and_reported() {
    let folder = TempDir::new().unwrap();
    let output = run(&folder, RUNNER, &[&format!("{DAEMON}; kill -9 $PPID; sleep 300")]);
    let stderr = assert_daemon_ended(&folder, &output);
    assert!(stderr.contains("KeeperLost"), "{stderr}");
}

/// Takes as long as the runner waits for an unresponsive keeper.
#[test]
fn a_daemon_of_a_stopped_keeper_is_ended_and_reported() {
    let folder = TempDir::new().unwrap();
    let script = format!("{DAEMON}; kill -STOP $PPID; sleep 300");
    let output = run(&folder, RUNNER, &["--limit-ms", "2000", &script]);
    let stderr = assert_daemon_ended(&folder, &output);
    assert!(stderr.contains("how: TotalLimit"), "{stderr}");
}

/// A child that is older by more than a clock tick, and a keeper that runs in parallel.
#[test]
fn other_children_of_the_runner_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let beside = "until [ -e over ]; do sleep 0.01; done; exit 7";
    let script = format!("{DAEMON}; kill -9 $PPID; sleep 300");
    let shell = "sleep 300 > /dev/null 2>&1 & echo $! > sleeper; sleep 0.02; exec \"$@\"";
    let output = run(
        &folder,
        "/bin/sh",
        &["-c", shell, "sh", RUNNER, "--then-make", "over", &script, beside],
    );
    let stderr = assert_daemon_ended(&folder, &output);
    assert!(
        stderr.contains("beside: Ok(Ok(Ended { how: ByItself, exit: Some(Code(7))"),
        "{stderr}"
    );
    let sleeper = std::fs::read_to_string(folder.path().join("sleeper")).unwrap();
    let sleeper = rustix::process::Pid::from_raw(sleeper.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(sleeper, rustix::process::Signal::KILL).unwrap();
}
