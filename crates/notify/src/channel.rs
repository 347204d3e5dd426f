//! The channels that take their time: a command of the user's, and a webhook.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use engine::Shell;
use engine::quick::{Answer, NoAnswer, Question, Quick};
use supervise::{Exit, Keeper, StopRequests};
use thiserror::Error;

use crate::webhook::Webhook;
use crate::{Notice, PATIENCE};

#[derive(Debug, Clone)]
pub enum Channel {
    /// A line of shell that the user wrote. It gets the notice on its standard input and in its
    /// environment; nothing of it is ever pasted into the line.
    Command(String),
    Webhook(Webhook),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelName {
    Command,
    Webhook,
}

/// What sending needs besides the notice.
#[derive(Debug, Clone)]
pub struct Sending {
    pub keeper: Keeper,
    /// The project's root.
    pub folder: PathBuf,
    /// For one notice.
    pub limit: Duration,
    /// Ends what is being sent.
    pub stop: StopRequests,
}

/// Why a notice did not get out. The address of a webhook is a secret and stands in none of them.
#[derive(Debug, Error)]
pub enum Unsent {
    #[error("curl, which sends it, is not in PATH: install it")]
    NoCurl,
    #[error("{0}")]
    Curl(&'static str),
    #[error("curl ended with {0}")]
    CurlCode(i32),
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("it ended with exit code {code}")]
    Code {
        code: i32,
        /// Only for whoever tries it by hand: nobody knows what is in it.
        said: String,
    },
    #[error("it was ended by a signal")]
    Signal,
    #[error("it took longer than {} seconds", .0.as_secs_f64())]
    TookTooLong(Duration),
    #[error("it could not be started: {0}")]
    NotStarted(NoAnswer),
    #[error("the run was over before it was sent")]
    OutOfTime,
    #[error("too many notices wait to be sent")]
    TooMany,
}

impl Sending {
    /// With the time that one notice may take.
    pub fn new(keeper: Keeper, folder: PathBuf) -> Self {
        Self { keeper, folder, limit: PATIENCE, stop: StopRequests::new() }
    }

    pub(crate) fn ask(&self, question: Question<'_>) -> Result<Answer, Unsent> {
        let quick = Quick { keeper: &self.keeper, folder: &self.folder, stop: &self.stop };
        quick.ask(question).map_err(|error| match error {
            NoAnswer::TookTooLong(_) => Unsent::TookTooLong(self.limit),
            NoAnswer::Stopped => Unsent::OutOfTime,
            error => Unsent::NotStarted(error),
        })
    }
}

impl Channel {
    pub fn name(&self) -> ChannelName {
        match self {
            Self::Command(_) => ChannelName::Command,
            Self::Webhook(_) => ChannelName::Webhook,
        }
    }

    /// Waits until it is sent or given up.
    pub fn send(&self, notice: &Notice, sending: &Sending) -> Result<(), Unsent> {
        match self {
            Self::Command(line) => run(line, notice, sending),
            Self::Webhook(webhook) => webhook.post(notice, sending),
        }
    }
}

fn run(line: &str, notice: &Notice, sending: &Sending) -> Result<(), Unsent> {
    let shell = Shell::of_this_system();
    let variables = notice.variables().into_iter();
    let answer = sending.ask(Question {
        program: shell.program.as_ref(),
        args: vec![shell.flag.into(), line.into()],
        environment: variables.map(|(name, value)| (name.into(), OsString::from(value))).collect(),
        input: (notice.to_json() + "\n").into_bytes(),
        limit: sending.limit,
    })?;
    match answer.exit {
        Some(Exit::Code(0)) => Ok(()),
        Some(Exit::Code(code)) => Err(Unsent::Code { code, said: answer.stderr.trim().to_owned() }),
        Some(Exit::Signal(_)) | None => Err(Unsent::Signal),
    }
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Command => "command",
            Self::Webhook => "webhook",
        })
    }
}
