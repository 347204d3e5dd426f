//! The Python scanner, and the statements. A token begins a line only where a statement can begin: not in brackets or
//! after a backslash.

use std::ops::Range;

use crate::scan::{self, Scan, StringKind};
use crate::source::Source;
use crate::token::TokenKind;

pub(super) fn scan(text: &str) -> Source<'_> {
    let mut depth = 0_usize;
    scan::scan(text, |scan, c| {
        if depth > 0 {
            scan.continue_line();
        }
        match c {
            '#' => scan.line_comment(),
            '\\' => {
                scan.at += 1;
                scan.white_space();
                scan.continue_line();
            }
            '"' | '\'' => string(scan),
            '(' | '[' | '{' => {
                depth += 1;
                scan.mark();
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                scan.mark();
            }
            _ => {
                if let Some(word) = scan.word('_') {
                    let prefix = word.len() <= 2 && word.chars().all(|c| "rRbBfFuUtT".contains(c));
                    if prefix && scan.rest().starts_with(['"', '\'']) {
                        string(scan);
                    } else {
                        scan.push(TokenKind::Word, word);
                    }
                } else if !scan.number() {
                    scan.mark();
                }
            }
        }
    })
}

fn string(scan: &mut Scan<'_>) {
    for quotes in ["\"\"\"", "'''"] {
        if scan.starts(quotes) {
            return scan.string(quotes, quotes, StringKind::Multiline);
        }
    }
    let quote = if scan.starts("\"") { "\"" } else { "'" };
    scan.string(quote, quote, StringKind::OneLine);
}

/// A statement with its start and indentation.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) indent: usize,
    pub(super) range: Range<usize>,
}

pub(super) fn statements(source: &Source<'_>) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        match (token.begins, found.last_mut()) {
            (Some(indent), _) => found.push(Statement { indent, range: at..at + 1 }),
            (None, Some(last)) => last.range.end = at + 1,
            (None, None) => {}
        }
    }
    found
}
