//! Ctrl-C while Codex runs a command. Codex ends its command, but not what that has set free.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use simulator::{Script, Turn};

use crate::workshop::Workshop;

/// For what takes a second or two.
const LIMIT: Duration = Duration::from_secs(90);

/// A command that never ends and names its child in a session of its own, itself and Codex.
const SLOW: &str = "setsid sleep 600 & echo $! $$ $PPID >~/pids.new; mv ~/pids.new ~/pids; wait";

fn wait_for_pids(workshop: &Workshop) -> Vec<Pid> {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Ok(text) = std::fs::read_to_string(workshop.codex.home().join("pids")) {
            let pids = text.split_whitespace().map(|pid| Pid::from_raw(pid.parse().unwrap()));
            return pids.map(Option::unwrap).collect();
        }
        assert!(Instant::now() < deadline, "the command never started");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn nothing_is_left_running() {
    let workshop = Workshop::with_story();
    let _model = workshop.model(Script::new([Turn::bash(SLOW), Turn::text("Never said.")]));
    // In a sandbox the processes would have other numbers.
    let args = ["-n", "1", "--stop-grace", "1s", "--no-sandbox"];
    let mut run = workshop.start_run("run", &args);
    run.read_until("tool-started", LIMIT);
    let pids = wait_for_pids(&workshop);
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
    assert_eq!(told.each("agent-ended", "outcome"), ["stopped"], "{told}");
}
