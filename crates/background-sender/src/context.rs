//! The programs that send, with their time limit, and why sending fails.

use std::path::PathBuf;
use std::time::Duration;

use supervise::{Keeper, ProgramCall, ProgramError, ProgramOutput, ProgramRunner, StopRequests};
use thiserror::Error;

use crate::PATIENCE;

#[derive(Debug, Clone)]
pub struct SendContext {
    pub keeper: Keeper,
    /// The project's root.
    pub folder: PathBuf,
    /// The time limit for one item.
    pub limit: Duration,
    /// Cancels a send.
    pub stop: StopRequests,
}

/// Why an item was not sent. No variant contains the address of a server, which is a secret.
#[derive(Debug, Error)]
pub enum SendError {
    #[error("curl is not in PATH; install it")]
    NoCurl,
    #[error("{0}")]
    Curl(&'static str),
    #[error("curl failed with exit code {0}")]
    CurlCode(i32),
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("failed with exit code {code}")]
    Code {
        code: i32,
        /// Shown by `ralph-loop notify` only: it is untrusted output.
        stderr: String,
    },
    #[error("killed by a signal")]
    Signal,
    #[error("timed out after {} seconds", .0.as_secs_f64())]
    TookTooLong(Duration),
    #[error("cannot start: {0}")]
    NotStarted(ProgramError),
    #[error("not sent before the run ended")]
    OutOfTime,
    #[error("the queue is full")]
    TooMany,
}

impl SendContext {
    /// With the default time limit.
    pub fn new(keeper: Keeper, folder: PathBuf) -> Self {
        Self { keeper, folder, limit: PATIENCE, stop: StopRequests::new() }
    }

    pub fn run(&self, call: ProgramCall<'_>) -> Result<ProgramOutput, SendError> {
        let runner = ProgramRunner { keeper: &self.keeper, folder: &self.folder, stop: &self.stop };
        runner.run(call).map_err(|error| match error {
            ProgramError::TookTooLong(_) => SendError::TookTooLong(self.limit),
            ProgramError::Stopped => SendError::OutOfTime,
            error => SendError::NotStarted(error),
        })
    }
}
