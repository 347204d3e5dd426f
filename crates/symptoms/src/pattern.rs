//! The patterns of this crate: written here as constants, compiled once.

use regex::{Regex, RegexSet};

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and every test run compiles them all"
)]
pub(crate) fn pattern(text: &'static str) -> Regex {
    Regex::new(text).expect("a pattern of this crate compiles")
}

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and every test run compiles them all"
)]
pub(crate) fn any_of(texts: impl IntoIterator<Item = &'static str>) -> RegexSet {
    RegexSet::new(texts).expect("a pattern of this crate compiles")
}
