//! A scratch project, a runner in it, and what is left when it is gone.

mod processes;
mod programs;
mod project;
mod runner;
mod unprivileged;

pub(crate) use processes::{await_none_in, in_folder, is_running, read_pid};
pub(crate) use programs::{program, simulated_agent, tool};
pub(crate) use project::Project;
pub(crate) use runner::{Finished, Runner};
pub(crate) use unprivileged::Unprivileged;

use std::io::Write;
use std::time::{Duration, Instant};

/// Many times what anything here needs, also on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

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

/// On a line that scripts/test.sh repeats at its end. The test harness would keep what `eprintln` prints to itself.
pub(crate) fn say_skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "\nSKIPPED: {why}");
}
