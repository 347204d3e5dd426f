//! The channels that may be slow: a command of the user, and a webhook.

use std::ffi::OsString;

use background_sender::{Destination, Endpoint, SendContext, SendError};
use supervise::{Exit, ProgramCall, Shell};

use crate::Notice;

#[derive(Debug, Clone)]
pub enum Channel {
    /// A shell line of the user. It gets the notice on standard input and in environment variables; no
    /// part of the notice becomes part of the line.
    Command(String),
    Webhook(Endpoint),
}

impl Channel {
    /// Its key in the settings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Webhook(_) => "webhook",
        }
    }

    pub fn destination(self) -> Destination<Notice> {
        let name = self.name();
        Destination { name, send: Box::new(move |notice, sending| self.send(notice, sending)) }
    }

    /// Blocks until the notice is sent or fails.
    pub fn send(&self, notice: &Notice, sending: &SendContext) -> Result<(), SendError> {
        match self {
            Self::Command(line) => run(line, notice, sending),
            Self::Webhook(webhook) => webhook.post(&notice.to_json(), sending),
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
