//! Compiles the constant patterns of this crate.

use regex::{Regex, RegexSet};

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and every test run compiles them all"
)]
pub(crate) fn pattern(text: &'static str) -> Regex {
    Regex::new(&ascii(text)).expect("a pattern of this crate compiles")
}

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and every test run compiles them all"
)]
pub(crate) fn any_of(texts: impl IntoIterator<Item = &'static str>) -> RegexSet {
    RegexSet::new(texts.into_iter().map(ascii)).expect("a pattern of this crate compiles")
}

/// ASCII classes only: Unicode classes take a hundred milliseconds to compile, which would delay
/// each run.
fn ascii(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        let escaped = if next == '\\' { rest.next() } else { None };
        match escaped {
            None => plain.push(next),
            Some('w') => plain.push_str("[0-9A-Za-z_]"),
            Some('W') => plain.push_str("[^0-9A-Za-z_]"),
            Some('d') => plain.push_str("[0-9]"),
            Some('D') => plain.push_str("[^0-9]"),
            Some('b') => plain.push_str(r"(?-u:\b)"),
            Some(other) => plain.extend(['\\', other]),
        }
    }
    plain
}
