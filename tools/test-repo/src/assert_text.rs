//! What a program printed, against what a test expects of it.

use predicates::Predicate;
use predicates_tree::CaseTreeExt;

/// Fails with what was expected and what was found.
#[expect(clippy::panic, reason = "a test that cannot go on fails where it stands")]
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
    fn what_is_as_expected_passes() {
        assert_text("one two", contains("two"));
        assert_text("one two", contains("three").not());
    }

    #[test]
    #[should_panic(expected = "var.contains(three)")]
    fn what_was_expected_is_named() {
        assert_text("one two", contains("three"));
    }

    #[test]
    #[should_panic(expected = "one two")]
    fn what_was_found_is_shown() {
        assert_text("one two", contains("two").not());
    }
}
