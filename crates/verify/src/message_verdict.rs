//! The verdict in the final message of a review. Unlike the task list, no other process can write it.

use tasks::ReviewVerdict;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageVerdict {
    /// The session was not asked for its own verdict.
    NotAsked,
    /// It was asked, but its message is not known here.
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
