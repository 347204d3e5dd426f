//! Runs a program that answers quickly, with a time limit.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use crate::{
    ChildEvent, EndReason, Ended, Exit, Keeper, Launch, Limits, Orphans, PoliteSignal, Reaction,
    Recipient, SoftLimits, Source, Stdout, StopRequests, SuperviseError,
};
use thiserror::Error;

/// Bytes per stream.
const KEPT: usize = 256 * 1024;
const LONGEST_LINE: usize = 64 * 1024;
const GRACE: Duration = Duration::from_secs(5);

/// Runs programs, one at a time.
#[derive(Debug)]
pub struct ProgramRunner<'q> {
    pub keeper: &'q Keeper,
    pub folder: &'q Path,
    pub stop: &'q StopRequests,
}

#[derive(Debug)]
pub struct ProgramCall<'q> {
    pub program: &'q Path,
    pub args: Vec<OsString>,
    /// Set in addition to the inherited environment.
    pub environment: Vec<(OsString, OsString)>,
    pub input: Vec<u8>,
    pub limit: Duration,
}

impl<'q> ProgramCall<'q> {
    /// Without input and with the inherited environment.
    pub fn new(program: &'q Path, args: Vec<OsString>, limit: Duration) -> Self {
        Self { program, args, environment: Vec::new(), input: Vec::new(), limit }
    }

    /// How the program is started.
    pub fn launch(self, keeper: &Keeper, folder: &Path) -> Launch {
        let set = self.environment.into_iter();
        Launch {
            keeper: keeper.clone(),
            program: self.program.to_path_buf(),
            args: self.args,
            environment: set.map(|(name, value)| (name, Some(value))).collect(),
            folder: folder.to_path_buf(),
            input: self.input,
            limits: Limits {
                total: Some(self.limit),
                idle: None,
                grace: GRACE,
                linger: Duration::MAX,
                drain: Duration::from_secs(2),
                longest_line: LONGEST_LINE,
                soft: SoftLimits::default(),
            },
            polite: PoliteSignal::Terminate,
            recipient: Recipient::Child,
            stdout: Stdout::Pipe,
            // A notification is sent while the run calls git.
            orphans: Orphans::Leave,
        }
    }
}

/// The output of a program that ended by itself.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    pub exit: Option<Exit>,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Debug, Error)]
pub enum ProgramError {
    #[error("not installed")]
    NotInstalled,
    #[error("{0}")]
    NotRun(SuperviseError),
    #[error("no answer within {} seconds", .0.as_secs())]
    TookTooLong(Duration),
    #[error("the run was stopped")]
    Stopped,
}

impl ProgramRunner<'_> {
    pub fn run(&self, call: ProgramCall<'_>) -> Result<ProgramOutput, ProgramError> {
        let limit = call.limit;
        let launch = call.launch(self.keeper, self.folder);
        let mut output = ProgramOutput::default();
        let ended = crate::run(launch, self.stop, &mut |event| {
            if let ChildEvent::Line(line) = event {
                let stream = match line.source {
                    Source::Stdout => &mut output.stdout,
                    Source::Stderr => &mut output.stderr,
                };
                if stream.len() < KEPT {
                    stream.push_str(&String::from_utf8_lossy(line.bytes));
                    stream.push('\n');
                }
            }
            Reaction::Nothing
        });
        match ended {
            Ok(Ended { how: EndReason::ByItself, exit, .. }) => {
                Ok(ProgramOutput { exit, ..output })
            }
            Ok(Ended { how: EndReason::Stopped, .. }) => Err(ProgramError::Stopped),
            Ok(_) => Err(ProgramError::TookTooLong(limit)),
            Err(SuperviseError::NotStarted { program, source })
                if is_not_installed(&program, source.kind()) =>
            {
                Err(ProgramError::NotInstalled)
            }
            Err(error) => Err(ProgramError::NotRun(error)),
        }
    }
}

/// The error for a missing program is "forbidden" if a folder of `PATH` is unreadable.
fn is_not_installed(program: &Path, kind: ErrorKind) -> bool {
    let is_name = program.components().count() == 1;
    kind == ErrorKind::NotFound || (is_name && kind == ErrorKind::PermissionDenied)
}

impl ProgramOutput {
    pub fn succeeded(&self) -> bool {
        self.exit == Some(Exit::Code(0))
    }

    /// Its error output in one line, or how it ended if there is none.
    pub fn error_text(&self) -> String {
        let streams = [&self.stderr, &self.stdout].map(|stream| stream.trim());
        match (streams.into_iter().find(|text| !text.is_empty()), self.exit) {
            (Some(text), _) => sanitize::plain(&text.replace('\n', "; ")),
            (None, Some(Exit::Code(code))) => {
                format!("it ended with exit code {code} and printed nothing")
            }
            (None, _) => "it was ended by a signal".to_owned(),
        }
    }
}
