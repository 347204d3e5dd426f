//! Turns whatever went wrong into a message, a hint and an exit code: the one place that does.
//!
//! Commands return `anyhow::Result`: errors of the libraries as they are, with what the command was about to do as
//! context.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Error;
use engine::RunError;
use isolation::Obstacle;
use settings::SettingsError;

use crate::report::neutral_block;

/// Wrong usage, settings or preconditions.
const USAGE: u8 = 2;
const GIT_FAILED: u8 = 5;

/// An error of the command itself, with a way out.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
struct Refusal {
    what: String,
    hint: String,
    exit_code: u8,
}

pub(crate) fn precondition(what: impl Into<String>, hint: impl Into<String>) -> Error {
    Refusal { what: what.into(), hint: hint.into(), exit_code: USAGE }.into()
}

pub(crate) fn git_failed(what: impl Into<String>, hint: impl Into<String>) -> Error {
    Refusal { what: what.into(), hint: hint.into(), exit_code: GIT_FAILED }.into()
}

/// What went wrong, from the command down to its cause.
pub(crate) fn message(error: &Error) -> String {
    format!("{error:#}")
}

pub(crate) fn hint(error: &Error) -> Option<String> {
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        return Some(refusal.hint.clone());
    }
    if error.downcast_ref::<SettingsError>().is_some() {
        let hint = "docs/settings.md explains each key; with the schema of `ralph-loop settings --schema`, an \
                    editor checks them as you type";
        return Some(hint.to_owned());
    }
    error.downcast_ref::<RunError>()?.hint()
}

/// Why something cannot be used, for those who use something else then.
pub(crate) fn obstacle(error: &Error) -> Obstacle {
    Obstacle { why: message(error), fix: hint(error) }
}

fn exit_code(error: &Error) -> u8 {
    let of_run = error.downcast_ref::<RunError>().map(RunError::exit_code);
    let of_command = || error.downcast_ref::<Refusal>().map(|refusal| refusal.exit_code);
    of_run.or_else(of_command).unwrap_or(USAGE)
}

/// Says it and returns the exit code.
pub(crate) fn report(error: &Error, out: &mut dyn Write) -> ExitCode {
    say(&format!("error: {}", message(error)), out);
    if let Some(hint) = hint(error).filter(|hint| !hint.is_empty()) {
        say(&format!("hint: {hint}"), out);
    }
    ExitCode::from(exit_code(error))
}

/// Names of files, settings and arguments are quoted in it, and any of them may be meant to steer the
/// terminal.
pub(crate) fn say(text: &str, out: &mut dyn Write) {
    // An error that cannot be written has no other place to go.
    let _ = writeln!(out, "{}", neutral_block(text).join("\n"));
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    fn reported(error: &Error) -> String {
        let mut out = Vec::new();
        report(error, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_message_comes_with_its_hint() {
        let error = precondition("there is no claude", "install it");
        assert_eq!(reported(&error), "error: there is no claude\nhint: install it\n");
    }

    #[test]
    fn a_message_begins_with_what_was_to_be_done_and_ends_with_the_cause() {
        let failed: Result<(), io::Error> = Err(io::Error::other("no space"));
        let error = failed.context("cannot write x").unwrap_err();
        assert_eq!(reported(&error), "error: cannot write x: no space\n");
        let error = precondition("no", "so").context("cannot start");
        assert_eq!(
            reported(&error),
            "error: cannot start: no\nhint: so\n",
            "context hides no hint"
        );
    }

    #[test]
    fn neither_message_nor_hint_steers_a_terminal_and_lines_stay() {
        let evil = "evil\x1b]0;PWN\x07\x1b[2J\u{202e}";
        let error = precondition(format!("no {evil}\n  at all"), evil);
        assert_eq!(
            reported(&error),
            "error: no evil\u{fffd}]0;PWN\u{fffd}\u{fffd}\n  at all\n\
             hint: evil\u{fffd}]0;PWN\u{fffd}\u{fffd}\n"
        );
    }

    #[test]
    fn kinds_have_their_exit_codes() {
        assert_eq!(exit_code(&git_failed("x", "")), 5);
        assert_eq!(exit_code(&precondition("x", "").context("y")), 2);
        assert_eq!(exit_code(&io::Error::other("y").into()), 2);
        let run = RunError::Git(vcs::VcsError::NoBranch);
        assert_eq!(exit_code(&Error::from(run).context("y")), 5);
    }
}
