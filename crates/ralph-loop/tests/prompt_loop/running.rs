//! A run that a test follows while it is active.

#[expect(dead_code, reason = "the tests of sturdiness, whose it is, use all of it")]
#[path = "../sturdy/harness/runner.rs"]
mod runner;

use std::time::{Duration, Instant};

use events::LoopEvent;

use crate::harness::Project;
pub(crate) use runner::{Finished, Runner};

/// Many times what anything here needs, also on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(180);

/// Prints a line, then waits until the test releases it.
pub(crate) const WAIT: &str = "echo started; while [ ! -e \"$here/go-on\" ]; do sleep 0.01; done";

/// Looks again and again until it is so, and fails with `what` if it never is.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Project {
    #[expect(clippy::disallowed_methods, reason = "the one place that starts what is followed")]
    pub(crate) fn start(&self, args: &[&str]) -> Runner {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ralph-loop"));
        command.args(self.with_agent(args)).current_dir(self.path());
        command.env_clear().envs(self.environment());
        Runner::start(command, self.beside("stderr.txt"))
    }

    /// A run whose agent has begun to wait.
    #[track_caller]
    pub(crate) fn start_and_wait(&self, args: &[&str]) -> Runner {
        let mut runner = self.start(args);
        runner.wait_for("the agent's first word", says("started"));
        runner
    }

    /// The agent waits no more.
    pub(crate) fn go_on(&self) {
        std::fs::write(self.beside("agent/go-on"), "").unwrap();
    }
}

pub(crate) fn says(word: &str) -> impl Fn(&LoopEvent) -> bool {
    move |event| matches!(event, LoopEvent::AgentText { text } if text == word)
}
