//! Compares the output of a program with the expected text.

use predicates::Predicate;
use predicates_tree::CaseTreeExt;

/// Panics with the expected and the actual text.
#[expect(clippy::panic, reason = "a panic fails the test")]
#[track_caller]
pub fn assert_text(found: &str, expected: impl Predicate<str>) {
    if let Some(case) = expected.find_case(false, found) {
        panic!("{}", case.tree());
    }
}

#[cfg(test)]
mod tests {
    use predicates::prelude::PredicateBooleanExt;
    use predicates::str::contains;

    use super::*;

    #[test]
    fn equal_text_passes() {
        assert_text("one two", contains("two"));
        assert_text("one two", contains("three").not());
    }

    #[test]
    #[should_panic(expected = "var.contains(three)")]
    fn the_expected_text_is_named() {
        assert_text("one two", contains("three"));
    }

    #[test]
    #[should_panic(expected = "one two")]
    fn the_actual_text_is_shown() {
        assert_text("one two", contains("two").not());
    }
}
