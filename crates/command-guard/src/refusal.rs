//! Why something is not done, for the model to go on from.

use std::fmt;

use crate::Category;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub category: Category,
    /// What would have been run, as it was read: `rm -rf /home`.
    pub what: String,
    /// What is wrong with it, as a sentence without its full stop.
    pub why: String,
    /// The safer way.
    pub instead: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { category, what, why, instead } = self;
        write!(f, "Refused ({category}): `{what}`: {why}. {instead}")
    }
}
