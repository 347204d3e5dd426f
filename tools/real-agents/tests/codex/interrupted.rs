//! Ctrl-C while Codex runs a command. Codex ends its command, but not detached processes.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use simulator::{Script, Turn};

use crate::run_setup::RunSetup;

/// Time limit for steps of a second or two.
const LIMIT: Duration = Duration::from_secs(90);

/// A command that never ends. It prints the process ids of its detached child, itself and Codex.
const SLOW: &str = "setsid sleep 600 & echo $! $$ $PPID >~/pids.new; mv ~/pids.new ~/pids; wait";

fn wait_for_pids(setup: &RunSetup) -> Vec<Pid> {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Ok(text) = std::fs::read_to_string(setup.codex.home().join("pids")) {
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
    let setup = RunSetup::with_story();
    let _model = setup.model(Script::new([Turn::bash(SLOW), Turn::text("Never said.")]));
    // In a sandbox the processes would have other ids.
    let args = ["-n", "1", "--stop-grace", "1s", "--no-sandbox"];
    let mut run = setup.start_run("run", &args);
    run.read_until("tool-started", LIMIT);
    let pids = wait_for_pids(&setup);
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
    assert_eq!(output.each("agent-ended", "outcome"), ["stopped"], "{output}");
}
