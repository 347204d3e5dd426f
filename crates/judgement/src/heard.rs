//! What a reviewer itself says of the story, apart from the task list that any process can write.

use tasks::ReviewVerdict;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The session was not asked for a verdict of its own.
    NotAsked,
    /// It was, and its words are not known here.
    NotKnown,
    Said(Option<ReviewVerdict>),
}

impl Heard {
    /// `None` if its words are not known.
    pub fn verdict(self) -> Option<Option<ReviewVerdict>> {
        match self {
            Self::NotAsked | Self::NotKnown => None,
            Self::Said(verdict) => Some(verdict),
        }
    }
}
