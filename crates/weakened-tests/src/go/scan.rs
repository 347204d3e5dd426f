//! The Go scanner.

use crate::scan::{Scan, StringKind};
use crate::source::Source;
use crate::token::TokenKind;

pub(super) fn scan(text: &str) -> Source<'_> {
    let mut scan = Scan::new(text);
    loop {
        scan.white_space();
        let Some(c) = scan.peek() else { break };
        match c {
            '/' if scan.starts("//") => scan.line_comment(),
            '/' if scan.starts("/*") => scan.comment_until("/*", "*/"),
            '"' => scan.string("\"", "\"", StringKind::OneLine),
            '\'' => scan.string("'", "'", StringKind::OneLine),
            '`' => scan.string("`", "`", StringKind::Raw),
            _ => {
                if let Some(word) = scan.word('_') {
                    scan.push(TokenKind::Word, word);
                } else if !scan.number() {
                    scan.mark();
                }
            }
        }
    }
    scan.done()
}
