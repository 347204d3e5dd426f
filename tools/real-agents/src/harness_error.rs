//! Errors of the harness. A failed session is an outcome, not an error.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::claude::Outcome;
use crate::command_outcome::CommandOutcome;

#[derive(Debug, Error)]
pub enum HarnessError {
    /// The program could not be started or watched.
    #[error("failed to run {}", program.display())]
    Start { program: PathBuf, source: io::Error },

    /// The folder is not a marketplace.
    #[error("failed to read the plugin catalogue {}", path.display())]
    Catalogue { path: PathBuf, source: io::Error },

    /// A required `claude` command failed.
    #[error("claude {command} failed: {outcome}")]
    Refused { command: String, outcome: CommandOutcome },

    /// A command took too long and was killed.
    #[error("a command was still running after {limit:?}: {until_then}")]
    CommandTimeLimit {
        /// How long it was allowed to take.
        limit: Duration,
        /// What was seen of it until then.
        until_then: Box<CommandOutcome>,
    },

    /// A session took too long and was killed.
    #[error("the session was still running after {limit:?}; it printed: {}", until_then.stderr)]
    TimeLimit {
        /// How long it was allowed to take.
        limit: Duration,
        /// What was seen of it until then.
        until_then: Box<Outcome>,
    },
}
