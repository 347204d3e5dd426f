//! A program that answers soon, and is not waited for any longer than that.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use supervise::{
    Ended, Exit, How, Keeper, Launch, Limits, Orphans, PoliteSignal, Recipient, Seen, Sign,
    SoftLimits, Source, Stdout, StopRequests, SuperviseError,
};
use thiserror::Error;

/// Of each stream, in bytes.
const KEPT: usize = 256 * 1024;
const LONGEST_LINE: usize = 64 * 1024;
const GRACE: Duration = Duration::from_secs(5);

/// Asks programs, one at a time.
#[derive(Debug)]
pub struct Quick<'q> {
    pub keeper: &'q Keeper,
    pub folder: &'q Path,
    pub stop: &'q StopRequests,
}

#[derive(Debug)]
pub struct Question<'q> {
    pub program: &'q Path,
    pub args: Vec<OsString>,
    /// Set on top of what is inherited.
    pub environment: Vec<(OsString, OsString)>,
    pub input: Vec<u8>,
    pub limit: Duration,
}

/// What a program printed that ended by itself.
#[derive(Debug, Default)]
pub struct Answer {
    pub exit: Option<Exit>,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Debug, Error)]
pub enum NoAnswer {
    #[error("it is not installed")]
    NotThere,
    #[error("{0}")]
    NotRun(SuperviseError),
    #[error("it took longer than {} seconds", .0.as_secs())]
    TookTooLong(Duration),
    #[error("the run was stopped")]
    Stopped,
}

impl Quick<'_> {
    pub fn ask(&self, question: Question<'_>) -> Result<Answer, NoAnswer> {
        let limit = question.limit;
        let set = question.environment.into_iter();
        let launch = Launch {
            keeper: self.keeper.clone(),
            program: question.program.to_path_buf(),
            args: question.args,
            environment: set.map(|(name, value)| (name, Some(value))).collect(),
            folder: self.folder.to_path_buf(),
            input: question.input,
            limits: Limits {
                total: Some(limit),
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
            // A notice is sent while the run starts git.
            orphans: Orphans::Leave,
        };
        let mut answer = Answer::default();
        let ended = supervise::run(launch, self.stop, &mut |sign| {
            if let Sign::Line(line) = sign {
                let stream = match line.source {
                    Source::Stdout => &mut answer.stdout,
                    Source::Stderr => &mut answer.stderr,
                };
                if stream.len() < KEPT {
                    stream.push_str(&String::from_utf8_lossy(line.bytes));
                    stream.push('\n');
                }
            }
            Seen::Nothing
        });
        match ended {
            Ok(Ended { how: How::ByItself, exit, .. }) => Ok(Answer { exit, ..answer }),
            Ok(Ended { how: How::Stopped, .. }) => Err(NoAnswer::Stopped),
            Ok(_) => Err(NoAnswer::TookTooLong(limit)),
            Err(SuperviseError::NotStarted { program, source })
                if is_not_there(&program, source.kind()) =>
            {
                Err(NoAnswer::NotThere)
            }
            Err(error) => Err(NoAnswer::NotRun(error)),
        }
    }
}

/// A name that no folder of `PATH` has is called forbidden where one of them cannot be looked into.
fn is_not_there(program: &Path, kind: ErrorKind) -> bool {
    let is_name = program.components().count() == 1;
    kind == ErrorKind::NotFound || (is_name && kind == ErrorKind::PermissionDenied)
}

impl Answer {
    pub fn succeeded(&self) -> bool {
        self.exit == Some(Exit::Code(0))
    }

    /// What it said about its failure.
    pub fn complaint(&self) -> String {
        let said = [&self.stderr, &self.stdout].map(|stream| stream.trim());
        match (said.into_iter().find(|said| !said.is_empty()), self.exit) {
            (Some(said), _) => sanitize::plain(&said.replace('\n', "; ")),
            (None, Some(Exit::Code(code))) => format!("it ended with {code} and said nothing"),
            (None, _) => "it was ended by a signal".to_owned(),
        }
    }
}
