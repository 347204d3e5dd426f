//! Whether a shell command can end with anything but 0, as far as a short look tells.
//!
//! Only plain lists and pipes are judged; what stands in `(…)` is one command of them, and can fail. What
//! has `{…}`, substitutions, here-documents or options of the shell's own is taken for a check that can
//! fail.

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
/// Where the system has the harmless ones; what a project calls `echo` is its own.
const SYSTEM: [&str; 2] = ["/bin/", "/usr/bin/"];
/// What makes a text more than a plain list.
const BEYOND: [&str; 10] =
    ["set ", "if ", "for ", "while ", "until ", "case ", "pipefail", "<<", "trap ", "exec "];

pub(crate) fn judge(command: &str) -> Result<(), Why> {
    let command = without_comments(command);
    let pieces = match split(&command) {
        Some(pieces) if !BEYOND.iter().any(|beyond| command.contains(beyond)) => pieces,
        _ => return Ok(()),
    };
    if pieces.last().is_some_and(|piece| piece.joint == Joint::Background && piece.text.is_empty())
    {
        return Err(Why::Background);
    }
    // `exit` alone ends as what stands before it did.
    let real = |piece: &Piece<'_>| !is_harmless(piece.text) && piece.text != "exit";
    if !pieces.iter().any(real) {
        return Err(Why::ChecksNothing);
    }
    if pieces.iter().any(|piece| program(piece.text) == "exit" && !is_harmless(piece.text)) {
        return Ok(());
    }
    // What stands before the last `;` says nothing about how the whole ends.
    let is_break = |piece: &Piece<'_>| matches!(piece.joint, Joint::Then | Joint::Background);
    let last = pieces.iter().rposition(is_break).unwrap_or_default();
    of_list(&pieces[last..]).map_err(|why| match why {
        Why::ChecksNothing => Why::DropsTheResult,
        other => other,
    })
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
    let bare = SYSTEM.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    HARMLESS.contains(&bare) || (name == "exit" && rest.trim() == "0")
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
    let (mut quoted, mut depth): (Option<u8>, usize) = (None, 0);
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
            (None, b'{' | b'}', _) => return None,
            (None, b'(' | b')', _) => {
                depth = if byte == b'(' { depth + 1 } else { depth.checked_sub(1)? };
                None
            }
            (None, ..) if depth > 0 => None,
            (None, ..) => joint_at(&bytes[at..], at.checked_sub(1).map(|before| bytes[before])),
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
    (quoted.is_none() && depth == 0).then_some(pieces)
}

/// The joint that the text begins with, and its length.
fn joint_at(text: &[u8], before: Option<u8>) -> Option<(Joint, usize)> {
    match (text, before) {
        ([b'&', b'&', ..], _) => Some((Joint::And, 2)),
        ([b'|', b'|', ..], _) => Some((Joint::Or, 2)),
        ([b'|', b'&', ..], _) => Some((Joint::Pipe, 2)),
        // `2>&1` and `&>log` redirect.
        ([b'&', b'>', ..], _) | ([b'&', ..], Some(b'>' | b'<')) => None,
        ([b'|', ..], _) => Some((Joint::Pipe, 1)),
        ([b'&', ..], _) => Some((Joint::Background, 1)),
        ([b';' | b'\n', ..], _) => Some((Joint::Then, 1)),
        _ => None,
    }
}

fn without_comments(command: &str) -> String {
    #[derive(PartialEq)]
    enum Within {
        Command,
        Quotes(char),
        Comment,
    }
    let (mut within, mut before, mut escaped) = (Within::Command, '\n', false);
    let kept = command.chars().filter(|c| {
        let (c, is_escaped) = (*c, std::mem::take(&mut escaped));
        match (&within, c) {
            (Within::Comment, '\n') => within = Within::Command,
            (Within::Comment, _) => {}
            _ if is_escaped => {}
            (Within::Command | Within::Quotes('"'), '\\') => escaped = true,
            (Within::Quotes(quote), _) if *quote == c => within = Within::Command,
            (Within::Quotes(_), _) => {}
            (Within::Command, '\'' | '"') => within = Within::Quotes(c),
            (Within::Command, '#') if before.is_whitespace() || ";&|()".contains(before) => {
                within = Within::Comment;
            }
            (Within::Command, _) => {}
        }
        before = c;
        within != Within::Comment
    });
    kept.collect()
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
            ("/bin/true", Why::ChecksNothing),
            ("npm test || /usr/bin/true", Why::DropsTheResult),
            ("exit", Why::ChecksNothing),
            ("echo fine; exit", Why::ChecksNothing),
            ("# npm test", Why::ChecksNothing),
            ("true # npm test", Why::ChecksNothing),
            ("npm test || true # for now", Why::DropsTheResult),
            ("npm test & # it's slow", Why::Background),
            ("(npm test) || true", Why::DropsTheResult),
            ("(cd web && npm test); true", Why::DropsTheResult),
            ("(npm test; exit 1) | tee log", Why::LostInPipe),
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
            "npm test # || true",
            "npm test # it's slow",
            "npm test\n# echo done",
            "true && # first\nnpm test",
            "npm test; exit",
            "npm test || exit",
            "npm test -- a#b || exit 1",
            "./bin/true",
            "(cd web && npm test)",
            "(npm test || true) && npm run lint",
            "npm test || (echo failed; exit 1)",
            "echo start; (npm test",
            "echo a) || true",
        ] {
            assert_eq!(judge(command), Ok(()), "{command}");
        }
    }
}
