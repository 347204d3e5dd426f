//! The channels that may be slow: a command of the user, and a webhook.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use supervise::{
    Exit, Keeper, ProgramCall, ProgramError, ProgramOutput, ProgramRunner, Shell, StopRequests,
};
use thiserror::Error;

use crate::webhook::Webhook;
use crate::{Notice, PATIENCE};

#[derive(Debug, Clone, strum::EnumDiscriminants)]
#[strum_discriminants(name(ChannelName), derive(strum::Display))]
#[strum_discriminants(strum(serialize_all = "kebab-case"))]
pub enum Channel {
    /// A shell line of the user. It gets the notice on standard input and in environment variables; no
    /// part of the notice becomes part of the line.
    Command(String),
    Webhook(Webhook),
}

#[derive(Debug, Clone)]
pub struct SendContext {
    pub keeper: Keeper,
    /// The project's root.
    pub folder: PathBuf,
    /// The time limit for one notice.
    pub limit: Duration,
    /// Cancels a send.
    pub stop: StopRequests,
}

/// Why a notice was not sent. No variant contains the address of a webhook, which is a secret.
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

    pub(crate) fn run(&self, call: ProgramCall<'_>) -> Result<ProgramOutput, SendError> {
        let runner = ProgramRunner { keeper: &self.keeper, folder: &self.folder, stop: &self.stop };
        runner.run(call).map_err(|error| match error {
            ProgramError::TookTooLong(_) => SendError::TookTooLong(self.limit),
            ProgramError::Stopped => SendError::OutOfTime,
            error => SendError::NotStarted(error),
        })
    }
}

impl Channel {
    /// Blocks until the notice is sent or fails.
    pub fn send(&self, notice: &Notice, sending: &SendContext) -> Result<(), SendError> {
        match self {
            Self::Command(line) => run(line, notice, sending),
            Self::Webhook(webhook) => webhook.post(notice, sending),
        }
    }
}

fn run(line: &str, notice: &Notice, sending: &SendContext) -> Result<(), SendError> {
    let shell = Shell::of_this_system();
    let variables = notice.variables().into_iter();
    let output = sending.run(ProgramCall {
        program: shell.program.as_ref(),
        args: vec![shell.flag.into(), line.into()],
        environment: variables.map(|(name, value)| (name.into(), OsString::from(value))).collect(),
        input: (notice.to_json() + "\n").into_bytes(),
        limit: sending.limit,
    })?;
    match output.exit {
        Some(Exit::Code(0)) => Ok(()),
        Some(Exit::Code(code)) => {
            Err(SendError::Code { code, stderr: output.stderr.trim().to_owned() })
        }
        Some(Exit::Signal(_)) | None => Err(SendError::Signal),
    }
}
