//! Whether a shell command can end with anything but 0, as far as a short look tells.
//!
//! Only plain lists and pipes are judged. What has groups, substitutions, here-documents or options of
//! the shell's own is taken for a check that can fail.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// `true`, `echo`: nothing is checked.
    ChecksNothing,
    /// `… || true`, `…; exit 0`.
    DropsTheResult,
    /// `… | tee log`.
    LostInPipe,
    /// `… &`.
    Background,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ChecksNothing => "checks nothing",
            Self::DropsTheResult => "drops the result of what it runs",
            Self::LostInPipe => "ends with what the last program of a pipe says",
            Self::Background => "goes on in the background",
        })
    }
}

impl Why {
    pub(crate) fn fix(self) -> &'static str {
        match self {
            Self::ChecksNothing => "Put a command there that fails when the work is wrong.",
            Self::DropsTheResult => "Take the ending out that turns every failure into a success.",
            Self::LostInPipe => "Take the pipe out; the output of a check is kept anyway.",
            Self::Background => "Take the `&` out, so that its end is waited for.",
        }
    }
}

/// Programs that end well whatever they are told.
const HARMLESS: [&str; 4] = ["true", ":", "echo", "printf"];
/// Programs that end well whatever they read.
const PASS_ON: [&str; 10] =
    ["tee", "cat", "head", "tail", "sort", "uniq", "wc", "sed", "less", "ts"];
/// What makes a text more than a plain list.
const BEYOND: [&str; 10] =
    ["set ", "if ", "for ", "while ", "until ", "case ", "pipefail", "<<", "trap ", "exec "];

pub(crate) fn judge(command: &str) -> Result<(), Why> {
    let command = command.trim();
    if command.is_empty() {
        return Err(Why::ChecksNothing);
    }
    let pieces = match split(command) {
        Some(pieces) if !BEYOND.iter().any(|beyond| command.contains(beyond)) => pieces,
        _ => return Ok(()),
    };
    if pieces.last().is_some_and(|piece| piece.joint == Joint::Background && piece.text.is_empty())
    {
        return Err(Why::Background);
    }
    if pieces.iter().any(|piece| program(piece.text) == "exit" && !is_harmless(piece.text)) {
        return Ok(());
    }
    // What stands before the last `;` says nothing about how the whole ends.
    let is_break = |piece: &Piece<'_>| matches!(piece.joint, Joint::Then | Joint::Background);
    let last = pieces.iter().rposition(is_break).unwrap_or_default();
    let Some(why) = of_list(&pieces[last..]).err() else { return Ok(()) };
    let real = |piece: &Piece<'_>| !is_harmless(piece.text);
    match pieces.iter().any(real) {
        true if why == Why::ChecksNothing => Err(Why::DropsTheResult),
        true => Err(why),
        false => Err(Why::ChecksNothing),
    }
}

/// `a && b` fails if either does, `a || b` only if both do; from left to right.
fn of_list(pieces: &[Piece<'_>]) -> Result<(), Why> {
    let mut pipes = pieces.chunk_by(|_, next| next.joint == Joint::Pipe);
    let first = pipes.next().map_or(Ok(()), of_pipe);
    pipes.fold(first, |whole, pipe| match (whole, pipe.first().map(|piece| piece.joint)) {
        (Ok(()), Some(Joint::And)) => Ok(()),
        (Err(why), Some(Joint::Or)) => Err(why),
        _ => of_pipe(pipe),
    })
}

/// A pipe ends as its last program does.
fn of_pipe(pieces: &[Piece<'_>]) -> Result<(), Why> {
    let Some(last) = pieces.last() else { return Ok(()) };
    if is_harmless(last.text) {
        Err(Why::ChecksNothing)
    } else if pieces.len() > 1 && PASS_ON.contains(&program(last.text)) {
        Err(Why::LostInPipe)
    } else {
        Ok(())
    }
}

fn is_harmless(command: &str) -> bool {
    let name = program(command);
    let rest = command.trim_start().strip_prefix(name).unwrap_or_default();
    // A file that cannot be written is a failure of its own, and a rare one.
    HARMLESS.contains(&name) || (name == "exit" && rest.trim() == "0")
}

fn program(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    Then,
    And,
    Or,
    Pipe,
    Background,
}

/// A simple command, and what joins it to those before it.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    joint: Joint,
    text: &'a str,
}

/// `None` where the text is more than commands with joints between them.
fn split(command: &str) -> Option<Vec<Piece<'_>>> {
    let bytes = command.as_bytes();
    let (mut pieces, mut joint, mut start, mut at) = (Vec::new(), Joint::Then, 0, 0);
    let mut quoted: Option<u8> = None;
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        let found = match (quoted, byte, next) {
            (Some(b'"') | None, b'`', _) | (Some(b'"') | None, b'$', Some(b'(')) => return None,
            (Some(b'"') | None, b'\\', _) => {
                at += 2;
                continue;
            }
            (Some(quote), ..) => {
                quoted = Some(quote).filter(|quote| *quote != byte);
                None
            }
            (None, b'\'' | b'"', _) => {
                quoted = Some(byte);
                None
            }
            (None, b'(' | b')' | b'{' | b'}', _) => return None,
            (None, b'&', Some(b'&')) => Some((Joint::And, 2)),
            (None, b'|', Some(b'|')) => Some((Joint::Or, 2)),
            (None, b'|', Some(b'&')) => Some((Joint::Pipe, 2)),
            // `2>&1` and `&>log` redirect.
            (None, b'&', Some(b'>')) => None,
            (None, b'&', _) if at > 0 && matches!(bytes[at - 1], b'>' | b'<') => None,
            (None, b'|', _) => Some((Joint::Pipe, 1)),
            (None, b'&', _) => Some((Joint::Background, 1)),
            (None, b';' | b'\n', _) => Some((Joint::Then, 1)),
            (None, ..) => None,
        };
        if let Some((next_joint, length)) = found {
            pieces.push(Piece { joint, text: command[start..at].trim() });
            (joint, start) = (next_joint, at + length);
        }
        at += found.map_or(1, |(_, length)| length);
    }
    let last = command.get(start..)?.trim();
    // A `;` at the end adds nothing.
    if !(last.is_empty() && joint == Joint::Then) {
        pieces.push(Piece { joint, text: last });
    }
    quoted.is_none().then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fail_is_told_with_the_reason() {
        for (command, why) in [
            ("true", Why::ChecksNothing),
            (" : ", Why::ChecksNothing),
            ("echo 'all good; really'", Why::ChecksNothing),
            ("exit 0", Why::ChecksNothing),
            ("", Why::ChecksNothing),
            ("echo a && echo b", Why::ChecksNothing),
            ("npm test || true", Why::DropsTheResult),
            ("npm test || :", Why::DropsTheResult),
            ("npm test || echo failed", Why::DropsTheResult),
            ("npm run lint && npm test || exit 0", Why::DropsTheResult),
            ("true || npm test", Why::DropsTheResult),
            ("npm test; true", Why::DropsTheResult),
            ("npm test\necho done", Why::DropsTheResult),
            ("npm test; exit 0;", Why::DropsTheResult),
            ("npm test | tee log.txt", Why::LostInPipe),
            ("npm test 2>&1 | tail -20", Why::LostInPipe),
            ("npm test &", Why::Background),
        ] {
            assert_eq!(judge(command), Err(why), "{command}");
        }
    }

    #[test]
    fn what_can_fail_is_left_alone() {
        for command in [
            "npm test",
            "cargo test --workspace",
            "npm run build && npm test",
            "npm run build && npm test | cat",
            "true && npm test",
            "npm test || npm run test:again",
            "echo start; npm test",
            "npm test || exit 1",
            "npm test || exit 1; echo fine",
            "npm test || { echo failed; exit 1; }",
            "grep -q x file | grep y",
            "sh -c 'npm test || true'",
            "set -e; npm test; echo done",
            "bash -c 'set -o pipefail; npm test | tee log'",
            "cat expected.txt",
            "sort -c names.txt",
            "test \"$(cat x)\" = y",
            "npm test > log.txt 2>&1",
            "npm test &> log.txt",
            "if npm test; then true; else false; fi",
            "echo 'unclosed",
        ] {
            assert_eq!(judge(command), Ok(()), "{command}");
        }
    }
}
