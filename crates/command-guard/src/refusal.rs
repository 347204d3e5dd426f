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
        const LONGEST: usize = 200;
        let what = cut(&what.into(), LONGEST);
        Self { category, what, why: why.into(), instead: instead.into() }
    }
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { category, what, why, instead } = self;
        write!(f, "Refused ({category}): `{what}`: {why}. {instead}")
    }
}
