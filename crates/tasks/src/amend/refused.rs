//! Why an amendment is refused, with a message from which the agent can write a valid one.

use std::fmt;

use serde::{Serialize, Serializer};

use super::MOST_AMENDMENTS;
use super::proposal::MOST_BYTES;
use crate::document::EditError;
use crate::reverted_change::Why;
use crate::{Problem, ReviewStatus, StoryId};

#[derive(Debug, Clone, PartialEq)]
pub enum RefusedAmendment {
    TooMany,
    TooLong {
        bytes: usize,
    },
    /// Not an amendment, or its fields cannot be read.
    Malformed {
        problems: Vec<Problem>,
    },
    /// A field of another kind of amendment.
    Misplaced {
        field: &'static str,
        action: &'static str,
    },
    /// An unknown field, quoted.
    UnknownField {
        part: &'static str,
        field: String,
        known: &'static [&'static str],
    },
    /// A field that only the runner, or the user, may set.
    NotTheAgents {
        field: &'static str,
    },
    NoSuchStory {
        field: &'static str,
        story: StoryId,
    },
    CurrentStory {
        story: StoryId,
    },
    Done {
        story: StoryId,
    },
    UnderReview {
        story: StoryId,
        status: ReviewStatus,
    },
    IdTaken {
        story: StoryId,
    },
    CriteriaDropped {
        story: StoryId,
        missing: usize,
    },
    ChangesNothing {
        story: StoryId,
    },
    /// Removed without a split while review is required.
    NotSplit {
        story: StoryId,
    },
    /// Split into stories that lack some of its criteria.
    SplitLosesCriteria {
        story: StoryId,
        missing: usize,
    },
    NeededBy {
        story: StoryId,
        by: Vec<StoryId>,
    },
    /// Problems that the amendment would cause.
    BreaksList {
        problems: Vec<Problem>,
    },
    /// Problems that the list had before.
    BrokenList {
        problems: Vec<Problem>,
    },
    NotEditable(EditError),
}

impl From<EditError> for RefusedAmendment {
    fn from(error: EditError) -> Self {
        Self::NotEditable(error)
    }
}

/// Serialized as the message.
impl Serialize for RefusedAmendment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for RefusedAmendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => write!(f, "more than {MOST_AMENDMENTS} in one iteration"),
            Self::TooLong { bytes } => {
                write!(f, "it has {bytes} bytes of JSON; the limit is {MOST_BYTES}")
            }
            Self::Malformed { problems } => write!(f, "it cannot be read{}", Why(problems)),
            Self::Misplaced { field, action } => {
                write!(f, "an amendment with the action \"{action}\" has no \"{field}\"")
            }
            Self::UnknownField { part, field, known } => {
                write!(f, "{part} has no field {field}; it may have {}", known.join(", "))
            }
            Self::NotTheAgents { field } => {
                write!(f, "an amendment may not set \"{field}\"; leave it out")
            }
            Self::NoSuchStory { field, story } => {
                write!(f, "{field} names {story}, which does not exist")
            }
            Self::CurrentStory { story } => {
                write!(f, "{story} is the story of this iteration and may not be amended")
            }
            Self::Done { story } => write!(f, "{story} is done and may not change"),
            Self::UnderReview { story, status } => {
                write!(f, "{story} is in review (reviewStatus {status}) and may not change")
            }
            Self::IdTaken { story } => {
                write!(f, "story {story} exists already; choose another id")
            }
            Self::CriteriaDropped { story, missing } => write!(
                f,
                "{missing} of the acceptance criteria of {story} would be removed or reworded; \
                 repeat the exact text of all, and add to them"
            ),
            Self::ChangesNothing { story } => write!(f, "changes nothing about {story}"),
            Self::NotSplit { story } => write!(
                f,
                "a story may be removed only after a split: before this amendment, add stories \
                 with \"split_from\": \"{story}\""
            ),
            Self::SplitLosesCriteria { story, missing } => write!(
                f,
                "{missing} of the acceptance criteria of {story} are in none of the stories that \
                 name it in \"split_from\"; repeat the exact text of each"
            ),
            Self::NeededBy { story, by } => {
                write!(f, "{} would depend on {story}, which is removed", listed(by))
            }
            Self::BreaksList { problems } => {
                write!(f, "it would make the list invalid{}", Why(problems))
            }
            Self::BrokenList { problems } => {
                write!(f, "the list is invalid{}", Why(problems))
            }
            Self::NotEditable(error) => error.fmt(f),
        }
    }
}

/// The first few ids.
pub(super) fn listed(ids: &[StoryId]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<&str> = ids.iter().take(SHOWN).map(StoryId::as_str).collect();
    match ids.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
