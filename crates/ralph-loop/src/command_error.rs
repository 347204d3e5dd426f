//! Turns whatever went wrong into a message, a hint and an exit code: the one place that does.

use std::io::{self, Write};
use std::process::ExitCode;

use engine::RunError;
use settings::SettingsError;

use crate::archive::ArchiveError;
use crate::report::neutral_block;
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
    #[error(transparent)]
    Settings(#[from] SettingsError),
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

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => error.hint(),
            Self::Precondition { hint, .. } | Self::GitFailed { hint, .. } => Some(hint.clone()),
            Self::Settings(_) => Some(
                "docs/settings.md explains each key; with the schema of `ralph-loop settings \
                 --schema`, an editor checks them as you type"
                    .into(),
            ),
            Self::Init(_) | Self::Archive(_) | Self::Io { .. } => None,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::GitFailed { .. } => GIT_FAILED,
            Self::Init(_)
            | Self::Archive(_)
            | Self::Settings(_)
            | Self::Precondition { .. }
            | Self::Io { .. } => USAGE,
        }
    }

    /// Says it and returns the exit code.
    pub(crate) fn report(&self, out: &mut dyn Write) -> ExitCode {
        say(&format!("error: {self}"), out);
        if let Some(hint) = self.hint().filter(|hint| !hint.is_empty()) {
            say(&format!("hint: {hint}"), out);
        }
        ExitCode::from(self.exit_code())
    }
}

/// Names of files, settings and arguments are quoted in it, and any of them may be meant to steer the
/// terminal.
pub(crate) fn say(text: &str, out: &mut dyn Write) {
    // Nobody can be told that nobody can be told.
    let _ = writeln!(out, "{}", neutral_block(text).join("\n"));
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
    fn neither_message_nor_hint_steers_a_terminal_and_lines_stay() {
        let evil = "evil\x1b]0;PWN\x07\x1b[2J\u{202e}";
        let mut out = Vec::new();
        CommandError::precondition(format!("no {evil}\n  at all"), evil).report(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "error: no evil\u{fffd}]0;PWN\u{fffd}\u{fffd}\n  at all\n\
             hint: evil\u{fffd}]0;PWN\u{fffd}\u{fffd}\n"
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
