//! The built programs.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) const RUNNER: &str = env!("CARGO_BIN_EXE_ralph-loop");

/// Beside the runner, as they are installed.
#[track_caller]
fn beside(name: &str) -> PathBuf {
    let path = Path::new(RUNNER).with_file_name(name);
    assert!(path.is_file(), "{} is missing: `cargo build --workspace` first", path.display());
    path
}

#[track_caller]
pub(crate) fn simulated_agent() -> PathBuf {
    beside("stop-guard");
    beside("context-monitor");
    beside("command-guard");
    beside("simulated-agent")
}

/// The runner, or a `wrapper` that starts it: the path of the runner follows its arguments.
pub(crate) fn program(wrapper: &[&str]) -> Command {
    match wrapper {
        [] => tool(RUNNER),
        [first, rest @ ..] => {
            let mut command = tool(first);
            command.args(rest).arg(RUNNER);
            command
        }
    }
}

/// A program of the system.
#[expect(clippy::disallowed_methods, reason = "the one place where these tests start programs")]
pub(crate) fn tool(name: &str) -> Command {
    Command::new(name)
}
