//! Turns whatever went wrong into a message, a hint and an exit code: the one place that does.

use std::io::{self, Write};
use std::process::ExitCode;

use engine::RunError;

use crate::archive::ArchiveError;
use crate::scaffold::InitError;

/// Wrong usage, settings or preconditions.
const USAGE: u8 = 2;
const GIT_FAILED: u8 = 5;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("{what}")]
    Precondition { what: String, hint: String },
    #[error("cannot {what}: {error}")]
    Io { what: String, error: io::Error },
    #[error("{what}")]
    GitFailed { what: String, hint: String },
}

impl CommandError {
    pub(crate) fn precondition(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Precondition { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, error }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => error.hint(),
            Self::Precondition { hint, .. } | Self::GitFailed { hint, .. } => Some(hint.clone()),
            Self::Init(_) | Self::Archive(_) | Self::Io { .. } => None,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::GitFailed { .. } => GIT_FAILED,
            Self::Init(_) | Self::Archive(_) | Self::Precondition { .. } | Self::Io { .. } => USAGE,
        }
    }

    /// Says it and returns the exit code.
    pub(crate) fn report(&self, out: &mut dyn Write) -> ExitCode {
        // Nobody can be told that nobody can be told.
        let _ = writeln!(out, "error: {self}");
        if let Some(hint) = self.hint().filter(|hint| !hint.is_empty()) {
            let _ = writeln!(out, "hint: {hint}");
        }
        ExitCode::from(self.exit_code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_with_its_hint() {
        let mut out = Vec::new();
        CommandError::precondition("there is no claude", "install it").report(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "error: there is no claude\nhint: install it\n"
        );
    }

    #[test]
    fn kinds_have_their_exit_codes() {
        let git = CommandError::GitFailed { what: "x".into(), hint: String::new() };
        assert_eq!(git.exit_code(), 5);
        assert_eq!(CommandError::precondition("x", "").exit_code(), 2);
        assert_eq!(CommandError::io("read x")(io::Error::other("y")).exit_code(), 2);
    }
}
