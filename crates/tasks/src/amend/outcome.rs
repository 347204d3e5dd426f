//! The outcome of one amendment, for the event log and the next prompt.

use std::fmt;

use serde::Serialize;

use super::refused::{RefusedAmendment, listed};
use crate::StoryId;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AmendmentOutcome {
    Applied {
        story: StoryId,
        what: AppliedAmendment,
        /// The reason that the agent gave, on one line.
        reason: String,
    },
    Refused {
        /// A one-line description of the amendment.
        amendment: String,
        why: RefusedAmendment,
    },
}

/// The change to a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum AppliedAmendment {
    Added {
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<StoryId>,
    },
    /// Field names of the task list.
    Modified { fields: Vec<&'static str> },
    Removed {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        split_into: Vec<StoryId>,
    },
}

impl AmendmentOutcome {
    pub fn is_applied(&self) -> bool {
        matches!(self, Self::Applied { .. })
    }
}

impl fmt::Display for AmendmentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied { story, what, reason } => write!(f, "story {story} {what}: {reason}"),
            Self::Refused { amendment, why } => write!(f, "refused: {amendment}: {why}"),
        }
    }
}

impl fmt::Display for AppliedAmendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { after: Some(after) } => write!(f, "added after {after}"),
            Self::Added { after: None } => f.write_str("added at the end"),
            Self::Modified { fields } => write!(f, "changed in {}", fields.join(", ")),
            Self::Removed { split_into } if split_into.is_empty() => f.write_str("removed"),
            Self::Removed { split_into } => {
                write!(f, "removed, split into {}", listed(split_into))
            }
        }
    }
}
