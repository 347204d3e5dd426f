//! Compiles the constant patterns of this crate.

use std::ops::Deref;
use std::sync::OnceLock;

use regex::Regex;

/// Alternatives, compiled at their first use.
pub(crate) struct Pattern(&'static [&'static str], OnceLock<Regex>);

impl Pattern {
    pub(crate) const fn new(alternatives: &'static [&'static str]) -> Self {
        Self(alternatives, OnceLock::new())
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.1.get_or_init(|| compiled(self.0))
    }
}

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and every test run compiles them all"
)]
pub(crate) fn compiled(alternatives: &[&str]) -> Regex {
    let texts: Vec<_> = alternatives.iter().map(|text| format!("(?:{})", ascii(text))).collect();
    Regex::new(&texts.join("|")).expect("a pattern of this crate compiles")
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
