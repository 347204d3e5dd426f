//! The Python scanner. A token begins a line only where a statement can begin: not in brackets or
//! after a backslash.

use crate::scan::{Scan, StringKind};
use crate::source::Source;
use crate::token::TokenKind;

pub(super) fn scan(text: &str) -> Source<'_> {
    let mut scan = Scan::new(text);
    let mut depth = 0_usize;
    loop {
        scan.white_space();
        if depth > 0 {
            scan.continue_line();
        }
        let Some(c) = scan.peek() else { break };
        match c {
            '#' => scan.line_comment(),
            '\\' => {
                scan.at += 1;
                scan.white_space();
                scan.continue_line();
            }
            '"' | '\'' => string(&mut scan),
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
                        string(&mut scan);
                    } else {
                        scan.push(TokenKind::Word, word);
                    }
                } else if !scan.number() {
                    scan.mark();
                }
            }
        }
    }
    scan.done()
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
