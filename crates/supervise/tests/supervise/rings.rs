//! Rings of processes: each starts the next and exits, until the keeper stops all of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use assert_fs::TempDir;
use supervise::EndReason;

use crate::harness::{SOON, run, shell};

/// Silence after which a ring counts as ended. A running ring writes every millisecond.
const SILENCE: Duration = Duration::from_millis(300);

#[expect(clippy::disallowed_methods, reason = "the one place that calls the C compiler")]
fn compiled(folder: &Path) -> PathBuf {
    let program = folder.join("ring");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/supervise/ring.c");
    let mut compiler = Command::new("cc");
    let status = compiler.args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(status.unwrap().success());
    program
}

/// One ring at a time: several would take processors and pids from each other's keepers and from
/// other tests.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a child that leaves a process running, which writes to `beats` while it runs.
#[track_caller]
fn assert_ended(folder: &TempDir, script: &str) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let beats = || std::fs::metadata(folder.path().join("beats")).unwrap().len();
    let mut launch = shell(script);
    launch.folder = folder.path().to_owned();
    let done = run(launch);
    let at_the_end = beats();
    assert_eq!(done.ended.how, EndReason::ByItself, "{script}");
    assert_eq!(done.ended.leftovers.alive, [], "{script}");
    assert!(!done.ended.leftovers.ended.is_empty(), "{script}");
    assert!(done.ended.elapsed < SOON, "{script}: {:?}", done.ended.elapsed);
    std::thread::sleep(SILENCE);
    assert_eq!(beats(), at_the_end, "{script} still runs");
}

#[track_caller]
fn assert_ring_ended(kind: &str, count: u32) {
    let folder = TempDir::new().unwrap();
    let program = compiled(folder.path());
    let until_it_beats = "until [ -s beats ]; do :; done";
    assert_ended(&folder, &format!("{} {kind} {count} beats; {until_it_beats}", program.display()));
}

#[test]
fn one_that_moves_on_is_ended() {
    assert_ring_ended("plain", 1);
}

#[test]
fn one_that_leaves_its_session_each_time_is_ended() {
    assert_ring_ended("session", 1);
}

#[test]
fn several_at_once_are_ended() {
    assert_ring_ended("session", 8);
}

#[test]
fn other_process_names_do_not_help() {
    assert_ring_ended("renamed", 2);
}

#[test]
fn those_that_share_their_memory_are_ended() {
    assert_ring_ended("shared", 1);
}

#[test]
fn those_that_wake_each_other_are_ended() {
    assert_ring_ended("waking", 4);
}

#[test]
fn those_that_double_are_ended() {
    assert_ring_ended("doubling", 1);
}

#[test]
fn one_whose_first_thread_is_gone_is_ended() {
    assert_ring_ended("headless", 2);
}

/// Each search of all processes takes longer than the ring needs to move on.
#[test]
fn a_crowd_does_not_hide_a_ring() {
    let folder = TempDir::new().unwrap();
    let program = compiled(folder.path());
    let crowd = "for i in $(seq 100); do sleep 300 & done > /dev/null 2>&1";
    let script =
        format!("{crowd}; {} session 2 beats; until [ -s beats ]; do :; done", program.display());
    assert_ended(&folder, &script);
}

#[test]
fn a_ring_in_perl_is_ended() {
    let folder = TempDir::new().unwrap();
    let ring = "use POSIX; $SIG{TERM} = 'IGNORE'; my $end = time + 25; open(my $beats, '>>', 'beats'); \
        while (time < $end) { fork and POSIX::_exit(0); POSIX::setsid(); $0 = \"w$$\"; \
        syswrite($beats, 'x'); }";
    std::fs::write(folder.path().join("ring.pl"), ring).unwrap();
    assert_ended(&folder, "perl ring.pl; until [ -s beats ]; do :; done");
}
