//! The Go scanner.

use crate::scan::{Escapes, Lines, Scan};
use crate::source::Source;
use crate::token::Kind;

pub(super) fn scan(text: &str) -> Source<'_> {
    let mut scan = Scan::new(text);
    loop {
        scan.white_space();
        let Some(c) = scan.peek() else { break };
        match c {
            '/' if scan.starts("//") => scan.line_comment(),
            '/' if scan.starts("/*") => scan.comment_until("/*", "*/"),
            '"' => scan.string("\"", "\"", Lines::One, Escapes::Backslash),
            '\'' => scan.string("'", "'", Lines::One, Escapes::Backslash),
            '`' => scan.string("`", "`", Lines::Many, Escapes::None),
            _ => {
                if let Some(word) = scan.word('_') {
                    scan.push(Kind::Word, word);
                } else if !scan.number() {
                    scan.mark();
                }
            }
        }
    }
    scan.done()
}
