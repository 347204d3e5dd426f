//! The verdict in the final message of a review, apart from the task list that any process can write.

use tasks::ReviewVerdict;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageVerdict {
    /// The session was not asked for a verdict of its own.
    NotAsked,
    /// It was, and its message is not known here.
    Unknown,
    /// `None` if the message gives no verdict.
    Known(Option<ReviewVerdict>),
}

impl MessageVerdict {
    /// `None` if the message is not known.
    pub fn known(self) -> Option<Option<ReviewVerdict>> {
        match self {
            Self::NotAsked | Self::Unknown => None,
            Self::Known(verdict) => Some(verdict),
        }
    }
}
