//! The Go scanner.

use crate::scan::{self, StringKind};
use crate::source::Source;

pub(super) fn scan(text: &str) -> Source<'_> {
    scan::scan(text, |scan, c| match c {
        '/' if scan.starts("//") => scan.line_comment(),
        '/' if scan.starts("/*") => scan.comment_until("/*", "*/"),
        '"' => scan.string("\"", "\"", StringKind::OneLine),
        '\'' => scan.string("'", "'", StringKind::OneLine),
        '`' => scan.string("`", "`", StringKind::Raw),
        _ => scan.word_number_or_mark('_'),
    })
}
