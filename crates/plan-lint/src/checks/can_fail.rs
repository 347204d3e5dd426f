//! Estimates whether a shell command can exit with a code other than 0.
//!
//! Only plain lists and pipes are judged; `(…)` counts as one command that can fail. Commands with
//! `{…}`, substitutions, here-documents or shell options are assumed to be able to fail.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub(crate) enum Why {
    /// `true`, `echo`: nothing is checked.
    #[display("checks nothing")]
    ChecksNothing,
    /// `… || true`, `…; exit 0`.
    #[display("ignores the result of its commands")]
    DropsTheResult,
    /// `… | tee log`.
    #[display("has the exit code of the last program of a pipe")]
    LostInPipe,
    /// `… &`.
    #[display("runs in the background")]
    Background,
}

impl Why {
    pub(crate) fn fix(self) -> &'static str {
        match self {
            Self::ChecksNothing => "Use a command that fails when the work is wrong.",
            Self::DropsTheResult => "Remove the ending that turns every failure into a success.",
            Self::LostInPipe => "Remove the pipe; the output of a check is saved anyway.",
            Self::Background => "Remove the `&`, so that the runner waits for the command.",
        }
    }
}

/// Programs that always succeed.
const HARMLESS: [&str; 4] = ["true", ":", "echo", "printf"];
/// Programs that succeed with any input.
const PASS_ON: [&str; 10] =
    ["tee", "cat", "head", "tail", "sort", "uniq", "wc", "sed", "less", "ts"];
/// System folders of the harmless programs; a project's own `echo` may fail.
const SYSTEM: [&str; 2] = ["/bin/", "/usr/bin/"];
/// Syntax that is more than a plain list.
const BEYOND: [&str; 10] =
    ["set ", "if ", "for ", "while ", "until ", "case ", "pipefail", "<<", "trap ", "exec "];

pub(crate) fn judge(command: &str) -> Result<(), Why> {
    let command = without_comments(command);
    let pieces = match split(&command) {
        Some(pieces) if !BEYOND.iter().any(|beyond| command.contains(beyond)) => pieces,
        _ => return Ok(()),
    };
    if pieces.last().is_some_and(|piece| piece.joint == "&" && piece.text.is_empty()) {
        return Err(Why::Background);
    }
    // `exit` alone keeps the exit code of the command before it.
    let real = |piece: &Piece<'_>| !is_harmless(piece.text) && piece.text != "exit";
    if !pieces.iter().any(real) {
        return Err(Why::ChecksNothing);
    }
    if pieces.iter().any(|piece| program(piece.text) == "exit" && !is_harmless(piece.text)) {
        return Ok(());
    }
    // Commands before the last `;` do not affect the exit code.
    let is_break = |piece: &Piece<'_>| matches!(piece.joint, ";" | "\n" | "&");
    let last = pieces.iter().rposition(is_break).unwrap_or_default();
    of_list(&pieces[last..]).map_err(|why| match why {
        Why::ChecksNothing => Why::DropsTheResult,
        other => other,
    })
}

/// `a && b` fails if either fails, `a || b` only if both fail; from left to right.
fn of_list(pieces: &[Piece<'_>]) -> Result<(), Why> {
    let mut pipes = pieces.chunk_by(|_, next| matches!(next.joint, "|" | "|&"));
    let first = pipes.next().map_or(Ok(()), of_pipe);
    pipes.fold(first, |whole, pipe| match (whole, pipe.first().map(|piece| piece.joint)) {
        (Ok(()), Some("&&")) => Ok(()),
        (Err(why), Some("||")) => Err(why),
        _ => of_pipe(pipe),
    })
}

/// A pipe has the exit code of its last program.
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
    // A failing write is possible, but rare.
    let bare = SYSTEM.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    HARMLESS.contains(&bare) || (name == "exit" && rest.trim() == "0")
}

fn program(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

/// A simple command and the operator before it.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    joint: &'a str,
    text: &'a str,
}

/// `None` if the text is more than commands and operators.
fn split(command: &str) -> Option<Vec<Piece<'_>>> {
    // Escapes, quoted text without substitutions, operators. `2>&1` and `&>log` redirect.
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        let double_quoted = r#""(?:\\.|[^"\\`$]|\$+(?:\\.|[^("\\`$]))*\$*""#;
        pattern(&format!(
            r#"(?s)\\.|'[^']*'|{double_quoted}|&&|\|\||\|&|&>|[<>]&|\$\(|[|&;\n(){{}}'"`]"#
        ))
    });
    let (mut pieces, mut joint, mut start, mut depth) = (Vec::new(), ";", 0, 0_usize);
    for token in TOKEN.find_iter(command) {
        match token.as_str() {
            "`" | "$(" | "{" | "}" | "'" | "\"" => return None,
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            "&&" | "||" | "|&" | "|" | "&" | ";" | "\n" if depth == 0 => {
                pieces.push(Piece { joint, text: command[start..token.start()].trim() });
                (joint, start) = (token.as_str(), token.end());
            }
            _ => {}
        }
    }
    let last = command[start..].trim();
    // A trailing `;` adds nothing.
    if !(last.is_empty() && matches!(joint, ";" | "\n")) {
        pieces.push(Piece { joint, text: last });
    }
    (depth == 0).then_some(pieces)
}

fn without_comments(command: &str) -> Cow<'_, str> {
    // Escapes and quoted text stay; a comment begins at the start of a word.
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
        let kept = r#"(?P<kept>\\.|'[^']*'|"(?:\\.|[^"\\])*")"#;
        pattern(&format!(r"(?s){kept}|(?P<before>^|[\s;&|()])#[^\n]*"))
    });
    COMMENT.replace_all(command, "$kept$before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_cannot_fail_are_found_with_the_reason() {
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
    fn commands_that_can_fail_are_accepted() {
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
