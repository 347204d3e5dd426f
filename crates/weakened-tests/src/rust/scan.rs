//! The Rust scanner: nested comments, raw strings, lifetimes.

use crate::scan::{self, Scan, StringKind};
use crate::source::Source;
use crate::token::TokenKind;

pub(super) fn scan(text: &str) -> Source<'_> {
    scan::scan(text, |scan, c| {
        if scan.starts("//") {
            scan.line_comment();
        } else if scan.starts("/*") {
            let length = nested_comment(scan.rest());
            scan.comment_of(length);
        } else if c == '"' {
            scan.string("\"", "\"", StringKind::Multiline);
        } else if c == '\'' {
            quote(scan);
        } else if let Some(word) = scan.word('_') {
            word_or_string(scan, word);
        } else if !scan.number() {
            scan.mark();
        }
    })
}

/// Rust comments nest.
fn nested_comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// `'a'` is a character, `'a` a lifetime.
fn quote(scan: &mut Scan<'_>) {
    let mut chars = scan.rest().chars().skip(1);
    let (first, second) = (chars.next(), chars.next());
    match (first, second) {
        (Some('\\'), _) | (Some(_), Some('\'')) => {
            scan.string("'", "'", StringKind::OneLine);
        }
        _ => scan.mark(),
    }
}

/// Letters directly before a quote determine the kind of string.
fn word_or_string<'a>(scan: &mut Scan<'a>, word: &'a str) {
    let raw = matches!(word, "r" | "br" | "cr");
    let rest = scan.rest();
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    if raw && rest.get(hashes..).is_some_and(|rest| rest.starts_with('"')) {
        let opening = rest.get(..=hashes).unwrap_or("\"");
        let closing = format!("\"{}", "#".repeat(hashes));
        scan.string(opening, &closing, StringKind::Raw);
    } else if raw && hashes == 1 {
        // `r#match` is an identifier.
        scan.at += 1;
        if let Some(name) = scan.word('_') {
            scan.push(TokenKind::Word, name);
        }
    } else if matches!(word, "b" | "c") && rest.starts_with('"') {
        scan.string("\"", "\"", StringKind::Multiline);
    } else if word == "b" && rest.starts_with('\'') {
        scan.string("'", "'", StringKind::OneLine);
    } else {
        scan.push(TokenKind::Word, word);
    }
}
