//! The JavaScript and TypeScript scanner: templates with nested code, and regular expressions.

use crate::scan::{self, Scan, StringKind};
use crate::source::Source;
use crate::token::TokenKind;

/// Without a limit, a line full of slashes would take quadratic time.
const LONGEST_REGEX: usize = 300;

pub(crate) fn scan(text: &str) -> Source<'_> {
    scan::scan(text, |scan, c| match c {
        '/' if scan.starts("//") => scan.line_comment(),
        '/' if scan.starts("/*") => scan.comment_until("/*", "*/"),
        '/' if regex_may_begin(scan) => regex(scan),
        '"' => scan.string("\"", "\"", StringKind::OneLine),
        // An apostrophe in JSX text: "don't".
        '\'' if scan.previous().is_some_and(char::is_alphanumeric) => scan.mark(),
        '\'' => scan.string("'", "'", StringKind::OneLine),
        '`' => template(scan),
        _ => scan.word_number_or_mark('$'),
    })
}

/// A slash after a value is a division.
fn regex_may_begin(scan: &Scan<'_>) -> bool {
    scan.tokens.last().is_none_or(|token| match token.kind {
        TokenKind::Number | TokenKind::Text => false,
        TokenKind::Mark => !matches!(token.text, ")" | "]" | "}" | "<"),
        TokenKind::Word => matches!(
            token.text,
            "return" | "typeof" | "case" | "in" | "of" | "delete" | "void" | "throw" | "await"
        ),
    })
}

fn regex(scan: &mut Scan<'_>) {
    let rest = scan.rest();
    let mut class = false;
    let mut chars = rest.char_indices().skip(1).take(LONGEST_REGEX);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                scan.push(TokenKind::Text, rest.get(1..at).unwrap_or_default());
                scan.at += at + 1;
                return;
            }
            '\n' => break,
            _ => {}
        }
    }
    scan.mark();
}

/// A template may contain code, which may contain templates.
fn template(scan: &mut Scan<'_>) {
    let rest = scan.rest();
    let length = length_of_template(rest);
    let inside = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
    scan.push(TokenKind::Text, inside);
    scan.at += length.max(1);
}

enum Level {
    Template,
    /// Code, with the number of its open braces.
    Code(usize),
}

fn length_of_template(rest: &str) -> usize {
    let mut levels = Vec::new();
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (levels.last_mut(), c) {
            (_, '\\') => drop(chars.next()),
            (Some(Level::Template), '`') => {
                levels.pop();
                if levels.is_empty() {
                    return at + 1;
                }
            }
            (Some(Level::Template), '$') if chars.peek().is_some_and(|(_, c)| *c == '{') => {
                chars.next();
                levels.push(Level::Code(0));
            }
            (Some(Level::Template), _) => {}
            (_, '`') => levels.push(Level::Template),
            (Some(Level::Code(braces)), '{') => *braces += 1,
            (Some(Level::Code(0)), '}') => drop(levels.pop()),
            (Some(Level::Code(braces)), '}') => *braces -= 1,
            _ => {}
        }
    }
    rest.len()
}
