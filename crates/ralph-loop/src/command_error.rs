//! Turns an error of a command into a message, a hint and an exit code.
//!
//! Commands return `anyhow::Result`: library errors, with the failed action as context.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Error;
use engine::RunError;
use isolation::Obstacle;
use settings::SettingsError;

use crate::report::neutral_block;

/// For what may succeed later.
const FAILED: u8 = 1;
/// For wrong usage, settings or preconditions.
const USAGE: u8 = 2;
const GIT_FAILED: u8 = 5;

/// An error of the command itself, with a hint.
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

pub(crate) fn failed(what: impl Into<String>, hint: impl Into<String>) -> Error {
    Refusal { what: what.into(), hint: hint.into(), exit_code: FAILED }.into()
}

pub(crate) fn git_failed(what: impl Into<String>, hint: impl Into<String>) -> Error {
    Refusal { what: what.into(), hint: hint.into(), exit_code: GIT_FAILED }.into()
}

/// For messages that list names.
pub(crate) fn first_five<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<&str> = names.by_ref().take(5).collect();
    let more = if names.next().is_some() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

/// The error with its causes.
pub(crate) fn message(error: &Error) -> String {
    format!("{error:#}")
}

pub(crate) fn hint(error: &Error) -> Option<String> {
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        return Some(refusal.hint.clone());
    }
    if error.downcast_ref::<SettingsError>().is_some() {
        let hint = "docs/settings.md explains each key; `ralph-loop settings --schema` prints a schema for editors";
        return Some(hint.to_owned());
    }
    error.downcast_ref::<RunError>()?.hint()
}

/// The error as the reason why one kind of isolation is not available.
pub(crate) fn obstacle(error: &Error) -> Obstacle {
    Obstacle { why: message(error), fix: hint(error) }
}

fn exit_code(error: &Error) -> u8 {
    let of_run = error.downcast_ref::<RunError>().map(RunError::exit_code);
    let of_command = || error.downcast_ref::<Refusal>().map(|refusal| refusal.exit_code);
    of_run.or_else(of_command).unwrap_or(USAGE)
}

/// Prints message and hint, and returns the exit code.
pub(crate) fn report(error: &Error, out: &mut dyn Write) -> ExitCode {
    say(&format!("error: {}", message(error)), out);
    if let Some(hint) = hint(error).filter(|hint| !hint.is_empty()) {
        say(&format!("hint: {hint}"), out);
    }
    ExitCode::from(exit_code(error))
}

/// Sanitizes the text, because file names, settings and arguments in it can contain control characters.
pub(crate) fn say(text: &str, out: &mut dyn Write) {
    // An error that cannot be printed is lost.
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
        let error = precondition("claude not found", "install it");
        assert_eq!(reported(&error), "error: claude not found\nhint: install it\n");
    }

    #[test]
    fn a_message_starts_with_the_action_and_ends_with_the_cause() {
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
    fn message_and_hint_are_sanitized_and_keep_their_lines() {
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
        assert_eq!(exit_code(&failed("x", "").context("y")), 1);
        assert_eq!(exit_code(&precondition("x", "").context("y")), 2);
        assert_eq!(exit_code(&io::Error::other("y").into()), 2);
        let run = RunError::Git(vcs::VcsError::NoBranch);
        assert_eq!(exit_code(&Error::from(run).context("y")), 5);
    }
}
