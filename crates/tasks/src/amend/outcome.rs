//! The outcome of one amendment, for the event log and the next prompt.

use std::fmt;

use itertools::Itertools;
use serde::Serialize;

use crate::StoryId;

#[derive(Debug, Clone, PartialEq, Serialize, derive_more::Display)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AmendmentOutcome {
    #[display("story {story} {what}: {reason}")]
    Applied {
        story: StoryId,
        what: AppliedAmendment,
        /// The reason that the agent gave, on one line.
        reason: String,
    },
    #[display("refused: {amendment}: {why}")]
    Refused {
        /// A one-line description of the amendment.
        amendment: String,
        why: String,
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

impl fmt::Display for AppliedAmendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { after: Some(after) } => write!(f, "added after {after}"),
            Self::Added { after: None } => f.write_str("added at the end"),
            Self::Modified { fields } => write!(f, "changed in {}", fields.join(", ")),
            Self::Removed { split_into } if split_into.is_empty() => f.write_str("removed"),
            Self::Removed { split_into } => write!(f, "removed, split into {}", listed(split_into)),
        }
    }
}

/// The first few ids.
pub(super) fn listed(ids: &[StoryId]) -> String {
    const SHOWN: usize = 10;
    let shown = ids.iter().take(SHOWN).join(", ");
    match ids.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
