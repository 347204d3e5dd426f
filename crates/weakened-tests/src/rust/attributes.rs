//! Test attributes.
//!
//! Conditions that a build may satisfy (`feature`, `unix`, `cfg_attr(miri, ignore)`) are ignored,
//! because conditional tests are common.

use std::ops::Range;

use crate::mark::{Mark, Marked};
use crate::source::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    Test,
    CfgTest,
    /// One case of a parametrized test.
    Case,
    ShouldPanic,
    Other,
}

pub(super) fn read(source: &Source<'_>, range: Range<usize>) -> Attribute {
    match last_of_path(source, range.clone()) {
        Some("should_panic") => Attribute::ShouldPanic,
        Some("case" | "test_case") => Attribute::Case,
        Some("cfg") if mentions_test(source, range) => Attribute::CfgTest,
        Some("quickcheck" | "theory" | "parameterized") => Attribute::Test,
        Some(name) if name.contains("test") => Attribute::Test,
        _ => Attribute::Other,
    }
}

/// `tokio::test` is a test because its last segment is.
fn last_of_path<'a>(source: &Source<'a>, range: Range<usize>) -> Option<&'a str> {
    let mut at = range.start;
    let mut name = source.word(at)?;
    while source.is_mark(at + 1, "::") && at + 2 < range.end {
        at += 2;
        name = source.word(at)?;
    }
    Some(name)
}

fn mentions_test(source: &Source<'_>, range: Range<usize>) -> bool {
    let tokens = source.slice(range);
    let negated = tokens.iter().any(|token| token.is_word("not"));
    !negated && tokens.iter().any(|token| token.is_word("test"))
}

pub(super) fn mark(source: &Source<'_>, range: Range<usize>) -> Option<Marked> {
    let words: Vec<&str> = source.slice(range).iter().take(12).map(|token| token.text).collect();
    match words.as_slice() {
        ["ignore", ..] => Some(Marked::new(Mark::Skipped, "#[ignore]")),
        ["cfg", "(", predicate @ .., ")"] if is_never(predicate) => {
            Some(Marked::new(Mark::Skipped, format!("#[cfg({})]", predicate.concat())))
        }
        ["cfg_attr", "(", predicate @ .., ",", "ignore", ")"] if is_always(predicate) => {
            Some(Marked::new(Mark::Skipped, format!("#[cfg_attr({}, ignore)]", predicate.concat())))
        }
        _ => None,
    }
}

fn is_never(predicate: &[&str]) -> bool {
    match predicate {
        ["any", "(", ")"] | ["FALSE" | "false"] => true,
        ["not", "(", inner @ .., ")"] => is_always(inner),
        _ => false,
    }
}

/// Conditions that are true whenever tests are built.
fn is_always(predicate: &[&str]) -> bool {
    match predicate {
        ["all", "(", ")"] | ["test" | "true"] => true,
        ["not", "(", inner @ .., ")"] => is_never(inner),
        _ => false,
    }
}
