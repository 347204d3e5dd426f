//! Ctrl-C while Claude Code runs a command.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

/// Time limit for steps of a second or two.
const LIMIT: Duration = Duration::from_secs(90);

/// A tool call that never ends and prints the process ids of its child, itself and Claude Code,
/// which would refuse a long `sleep`.
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
fn all_processes_end_and_the_next_run_continues() {
    let setup = RunSetup::with_plugin();
    let temporary = tempfile::tempdir().unwrap();
    let pids = temporary.path().join("pids");
    let slow = model([vec![Turn::bash(slow(&pids)), Turn::text("Never said.")]]);
    // In a sandbox the processes would have other ids.
    let mut run = setup.start_run(&slow, &["-n", "2", "--stop-grace", "1s", "--no-sandbox"]);
    run.read_until("tool-started", LIMIT);
    let pids = wait_for_pids(&pids);
    assert_eq!(pids.len(), 3);
    for pid in &pids {
        test_kill_process(*pid).unwrap();
    }
    kill_process(run.pid(), Signal::INT).unwrap();
    let output = run.wait(LIMIT);

    assert_eq!(output.exit_code, Some(130), "{output}");
    for pid in pids {
        assert!(test_kill_process(pid).is_err(), "{pid:?} still runs; {output}");
    }
    assert!(output.stderr.contains("the agent may finish its answer (1s at most)"), "{output}");
    assert_eq!(output.each("agent-ended", "outcome"), ["stopped"], "{output}");
    assert_eq!(output.each("run-ended", "end"), ["interrupted"], "{output}");
    assert!(!setup.project().join(".ralph-active").exists());

    // On a busy machine Claude Code may end before it reports its cost.
    let cost = output.all("agent-ended")[0]["costUsd"].as_f64().unwrap_or_default();

    let submit = setup.stories().work("true", 0, submitted());
    let next = setup.run(&model([vec![submit, Turn::text("Submitted.")]]), &["-n", "1"]);
    let resumed = &next.all("run-started")[0]["resumed"];
    assert_eq!(resumed["costUsd"].as_f64(), Some(cost), "{next}");
    assert_eq!(next.each("iteration-started", "mode"), ["implement"], "{next}");
    assert_eq!(next.each("iteration-ended", "status"), ["accepted"], "{next}");
    // The output of the interrupted session is kept.
    let folders = [&output, &next].map(|output| output.each("iteration-started", "folder")[0]);
    assert_ne!(folders[0], folders[1]);
}
