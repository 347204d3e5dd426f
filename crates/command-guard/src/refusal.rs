//! A refused command with its reason and an alternative for the model.

use std::fmt;

use crate::Category;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub category: Category,
    /// The command as parsed: `rm -rf /home`.
    pub what: String,
    /// A sentence without its full stop.
    pub why: String,
    /// A safe alternative.
    pub instead: String,
}

impl Refusal {
    pub(crate) fn new(
        category: Category,
        what: impl Into<String>,
        why: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        Self { category, what: what.into(), why: why.into(), instead: instead.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { category, what, why, instead } = self;
        write!(f, "Refused ({category}): `{what}`: {why}. {instead}")
    }
}
