//! What a language found in one version of a file.

use crate::unit::{Role, Unit};

/// The tests and comments that a reader found in one text.
#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    pub(crate) units: Vec<Unit<'a>>,
    pub(crate) comments: Vec<&'a str>,
}

impl<'a> Reading<'a> {
    pub(crate) fn tests(&self) -> impl Iterator<Item = (usize, &Unit<'a>)> {
        self.units.iter().enumerate().filter(|(_, unit)| unit.role == Role::Test)
    }

    /// Whether this test was commented out.
    pub(crate) fn has_in_comment(&self, leaf: &str) -> bool {
        !leaf.is_empty() && self.comments.iter().any(|comment| holds_code_of(comment, leaf))
    }
}

/// A comment that defines a test has its name before a bracket or in quotes; a mere mention does
/// not.
fn holds_code_of(comment: &str, leaf: &str) -> bool {
    comment.match_indices(leaf).any(|(at, _)| {
        let before = comment.get(..at).unwrap_or_default();
        let after = comment.get(at + leaf.len()..).unwrap_or_default();
        let defined = ["fn ", "def ", "func "].iter().any(|word| before.ends_with(word));
        let quoted = before.ends_with(['"', '\'', '`']) && after.starts_with(['"', '\'', '`']);
        (defined && after.starts_with(['(', '<'])) || (quoted && before.contains('('))
    })
}
