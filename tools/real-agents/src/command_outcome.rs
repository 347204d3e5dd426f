//! Exit code and output of a command whose output is not parsed here.

use std::fmt;

use crate::harness_error::HarnessError;
use crate::process::{self, Launch, Output, text};

/// Exit code and output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutcome {
    /// `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error output.
    pub stderr: String,
}

impl CommandOutcome {
    /// Runs a command to its end. A failed command is an outcome; a timeout is an error.
    pub(crate) fn of(launch: Launch) -> Result<Self, HarnessError> {
        let limit = launch.time_limit;
        let ended = process::run(launch)?;
        let outcome = ended.output.into();
        if ended.in_time {
            Ok(outcome)
        } else {
            Err(HarnessError::CommandTimeLimit { limit, until_then: Box::new(outcome) })
        }
    }
}

impl From<Output> for CommandOutcome {
    fn from(output: Output) -> Self {
        Self {
            exit_code: output.exit_code,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

impl fmt::Display for CommandOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exit_code {
            Some(code) => write!(f, "exit code {code}")?,
            None => write!(f, "ended by a signal")?,
        }
        write!(f, "\nstdout: {}\nstderr: {}", self.stdout, self.stderr)
    }
}
