//! Neutralizes foreign text for a terminal: removes control sequences, cursor movements, direction
//! marks and invisible characters.
//!
//! Agents, task lists and check commands produce such text.

use std::borrow::Cow;

use crate::steers;

const TAB: usize = 4;

/// `text` on one line.
pub fn line(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let text = without_sequences(text);
    text.chars().map(|c| if is_gap(c) { ' ' } else { harmless(c) }).collect()
}

/// The lines of `text`, without empty ones at both ends.
pub fn block(text: &str) -> Vec<String> {
    if is_plain(text) {
        let line = text.trim_end();
        return if line.is_empty() { Vec::new() } else { vec![line.to_owned()] };
    }
    let text = without_sequences(text);
    let mut lines: Vec<String> = text.lines().map(|line| expanded(line.trim_end())).collect();
    lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    lines.split_off(first)
}

/// A fast path: byte checks are much faster than character checks, and most text is plain. In pieces, which the
/// compiler can vectorize.
pub(crate) fn is_plain(text: &str) -> bool {
    let are_plain = |bytes: &[u8]| bytes.iter().fold(true, |all, b| all & matches!(b, b' '..=b'~'));
    text.as_bytes().chunks(64).all(are_plain)
}

fn expanded(line: &str) -> String {
    if is_plain(line) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let (shown, width) = if c == '\t' { (' ', TAB - column % TAB) } else { (harmless(c), 1) };
        out.extend(std::iter::repeat_n(shown, width));
        column += width;
    }
    out
}

/// Removes colour and cursor sequences completely, because test output is full of them. Any other
/// control character is replaced alone: removing "up to the terminator" could hide the text after
/// it.
fn without_sequences(text: &str) -> Cow<'_, str> {
    // The first bytes of the two characters that start a sequence; other characters share the
    // second.
    if !text.bytes().any(|byte| matches!(byte, 0x1b | 0xc2)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = sequence_length(rest).unwrap_or_else(|| {
            out.push('\u{fffd}');
            rest.chars().next().map_or(1, char::len_utf8)
        });
        rest = &rest[skipped..];
    }
    out.push_str(rest);
    out.into()
}

/// The length of the control sequence at the start; `None` if it is incomplete.
fn sequence_length(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[").or_else(|| text.strip_prefix('\u{9b}'))?;
    let end = body.bytes().position(|b| !(0x20..=0x3f).contains(&b))?;
    let is_complete = (0x40..=0x7e).contains(&body.as_bytes()[end]);
    is_complete.then_some(text.len() - body.len() + end + 1)
}

fn is_gap(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t')
}

pub(crate) fn harmless(c: char) -> char {
    if steers(c) { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["né → ok", "日本語 👩‍👩‍👧 ✓", "a [31m b"] {
            assert_eq!(line(text), text);
            assert_eq!(block(text), [text]);
        }
    }

    #[test]
    fn colours_and_cursor_movements_are_dropped_whole() {
        assert_eq!(line("a\x1b[1;31mred\x1b[0m\x1b[2J\x1b[10Ab\u{9b}5nc"), "aredbc");
    }

    #[test]
    fn an_incomplete_sequence_loses_only_its_control_character() {
        assert_eq!(line("a\x1b]0;title\x07b"), "a\u{fffd}]0;title\u{fffd}b");
        assert_eq!(line("\x1b]8;;http://x\x1b\\link"), "\u{fffd}]8;;http://x\u{fffd}\\link");
        assert_eq!(line("end\x1b[31"), "end\u{fffd}[31");
        assert_eq!(line("\x1b[3\x1b[1mx"), "\u{fffd}[3x");
        assert_eq!(line("\x1b[é"), "\u{fffd}[é");
        assert_eq!(line("\x1b"), "\u{fffd}");
    }

    #[test]
    fn removing_a_sequence_never_forms_a_new_one() {
        for text in ["\x1b\x1b[1m[31mx", "\u{9b}\x1b[1m31mx", "\x1b[\x1b[1m1mx"] {
            assert!(!line(text).contains(['\x1b', '\u{9b}']), "{text:?}");
        }
    }

    #[test]
    fn direction_marks_and_invisible_tags_show() {
        assert_eq!(
            line("a\u{202e}b\u{2066}c\u{61c}d\u{e0041}e"),
            "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e"
        );
    }

    #[test]
    fn a_carriage_return_does_not_overwrite_text() {
        assert_eq!(block("rm -rf /\rls"), ["rm -rf /\u{fffd}ls"]);
        assert_eq!(line("rm -rf /\rls"), "rm -rf / ls");
        assert_eq!(block("one\r\ntwo\r\n"), ["one", "two"]);
    }

    #[test]
    fn a_block_keeps_its_lines_and_expands_tabs() {
        assert_eq!(block("\n\n\tif\n\n  a\tb  \n\n"), ["    if", "", "  a b"]);
        assert!(block(" \n\t\n").is_empty());
    }
}
