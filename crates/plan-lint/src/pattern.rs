//! Compiles the constant regular expressions of this crate.

use regex::Regex;

pub(crate) fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "it is a constant, and the tests compile every one")]
    Regex::new(text).expect("a pattern of this crate")
}
