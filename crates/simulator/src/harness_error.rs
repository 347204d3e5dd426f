//! What can keep the harness from an outcome. A session that fails is an outcome, not an error.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::claude::Outcome;
use crate::command_outcome::CommandOutcome;

/// Why there is no outcome.
#[derive(Debug, Error)]
pub enum HarnessError {
    /// The program could not be started or watched.
    #[error("failed to run {}", program.display())]
    Start {
        /// What was to be run.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The folder is not a marketplace.
    #[error("failed to read the plugin catalogue {}", path.display())]
    Catalogue {
        /// Where the catalogue was looked for.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },

    /// A `claude` command that has to succeed did not.
    #[error("claude {command} failed: {outcome}")]
    Refused {
        /// The words of the command.
        command: String,
        /// How it ended and what it printed.
        outcome: CommandOutcome,
    },

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
