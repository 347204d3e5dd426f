//! Detects assertions that always hold: a literal, or a literal compared with itself.

use std::ops::Range;

use crate::source::Source;
use crate::token::Token;

/// `true`, `1`, `"text"`: an assertion of it always passes.
pub(crate) fn is_truthy(source: &Source<'_>, range: &Range<usize>) -> bool {
    match source.slice(range.clone()) {
        [only] => {
            only.is_literal()
                && !matches!(only.text, "false" | "False" | "0" | "nil" | "null" | "None" | "")
        }
        [not, only] => {
            (not.is_mark("!") || not.is_word("not")) && matches!(only.text, "false" | "False")
        }
        _ => false,
    }
}

/// The same literal twice.
pub(crate) fn are_same_literal(
    source: &Source<'_>,
    left: &Range<usize>,
    right: &Range<usize>,
) -> bool {
    match (source.slice(left.clone()), source.slice(right.clone())) {
        ([left], [right]) => same_literal(left, right),
        _ => false,
    }
}

/// `1 == 1` and similar.
pub(crate) fn compares_same(source: &Source<'_>, range: &Range<usize>) -> bool {
    match source.slice(range.clone()) {
        [left, equals, right] => {
            matches!(equals.text, "==" | "===" | "is") && same_literal(left, right)
        }
        _ => false,
    }
}

fn same_literal(left: &Token<'_>, right: &Token<'_>) -> bool {
    left.is_literal() && left.kind == right.kind && left.text == right.text
}
