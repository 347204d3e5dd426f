//! Ctrl-C while Claude Code runs a command.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use simulator::Turn;

use crate::model;
use crate::stories::submitted;
use crate::workshop::Workshop;

/// For what takes a second or two.
const LIMIT: Duration = Duration::from_secs(90);

/// A tool call that never ends and names its child, itself, and Claude Code, which would refuse to
/// run a long `sleep`.
fn slow(pids: &Path) -> String {
    let (new, pids) = (pids.with_extension("new"), pids.display());
    let new = new.display();
    format!("tail -f /dev/null & echo $! $$ $PPID >{new}; mv {new} {pids}; wait")
}

fn wait_for_pids(file: &Path) -> Vec<Pid> {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Ok(text) = std::fs::read_to_string(file) {
            return text
                .split_whitespace()
                .map(|pid| Pid::from_raw(pid.parse().unwrap()).unwrap())
                .collect();
        }
        assert!(Instant::now() < deadline, "the command never started");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn nothing_is_left_running_and_the_next_run_goes_on() {
    let workshop = Workshop::with_plugin();
    let temporary = tempfile::tempdir().unwrap();
    let pids = temporary.path().join("pids");
    let slow = model([vec![Turn::bash(slow(&pids)), Turn::text("Never said.")]]);
    // In a sandbox, processes have other numbers.
    let mut run = workshop.start_run(&slow, &["-n", "2", "--stop-grace", "1s", "--no-sandbox"]);
    run.read_until("tool-started", LIMIT);
    let pids = wait_for_pids(&pids);
    assert_eq!(pids.len(), 3);
    for pid in &pids {
        test_kill_process(*pid).unwrap();
    }
    kill_process(run.pid(), Signal::INT).unwrap();
    let told = run.wait(LIMIT);

    assert_eq!(told.exit_code, Some(130), "{told}");
    for pid in pids {
        assert!(test_kill_process(pid).is_err(), "{pid:?} still runs; {told}");
    }
    assert!(told.stderr.contains("the agent may finish its answer (1s at most)"), "{told}");
    assert_eq!(told.each("agent-ended", "outcome"), ["stopped"], "{told}");
    assert_eq!(told.each("run-ended", "end"), ["interrupted"], "{told}");
    assert!(!workshop.project().join(".ralph-active").exists());

    // On a busy machine Claude Code is not always quick enough to say what it cost.
    let cost = told.all("agent-ended")[0]["costUsd"].as_f64().unwrap_or_default();

    let submit = workshop.stories().work("true", 0, submitted());
    let next = workshop.run(&model([vec![submit, Turn::text("Submitted.")]]), &["-n", "1"]);
    let resumed = &next.all("run-started")[0]["resumed"];
    assert_eq!(resumed["costUsd"].as_f64(), Some(cost), "{next}");
    assert_eq!(next.each("iteration-started", "mode"), ["implement"], "{next}");
    assert_eq!(next.each("iteration-ended", "status"), ["accepted"], "{next}");
    // What the interrupted session said is still there.
    let folders = [&told, &next].map(|told| told.each("iteration-started", "folder")[0]);
    assert_ne!(folders[0], folders[1]);
}
