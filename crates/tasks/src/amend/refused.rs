//! Why an amendment is not applied, in words from which an agent can write a better one.

use std::fmt;

use serde::{Serialize, Serializer};

use super::MOST_AMENDMENTS;
use super::proposal::MOST_BYTES;
use crate::document::EditError;
use crate::undone::Why;
use crate::{Problem, ReviewStatus, StoryId};

#[derive(Debug, Clone, PartialEq)]
pub enum RefusedAmendment {
    /// Behind those that are considered.
    TooMany,
    TooLong {
        bytes: usize,
    },
    /// Not an amendment, or one with fields that cannot be read.
    Malformed {
        problems: Vec<Problem>,
    },
    /// A field that there is, but not in this kind of amendment.
    Misplaced {
        field: &'static str,
        action: &'static str,
    },
    /// A field that nobody knows, quoted.
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
    /// Removed without stories that take its place, while review is required.
    NotSplit {
        story: StoryId,
    },
    /// Removed for stories that do not carry all of its criteria.
    SplitLosesCriteria {
        story: StoryId,
        missing: usize,
    },
    NeededBy {
        story: StoryId,
        by: Vec<StoryId>,
    },
    /// With the amendment the list would have these.
    BreaksList {
        problems: Vec<Problem>,
    },
    /// The list had these before.
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

/// The log says it in words, as everybody else does.
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
                write!(f, "it has {bytes} bytes of JSON, and {MOST_BYTES} are the most")
            }
            Self::Malformed { problems } => write!(f, "it cannot be read{}", Why(problems)),
            Self::Misplaced { field, action } => {
                write!(f, "an amendment that says \"{action}\" has no \"{field}\"")
            }
            Self::UnknownField { part, field, known } => {
                write!(f, "{part} has no field {field}; it may have {}", known.join(", "))
            }
            Self::NotTheAgents { field } => {
                write!(f, "an amendment does not set \"{field}\"; leave it out")
            }
            Self::NoSuchStory { field, story } => {
                write!(f, "{field} names {story}, and the list has no such story")
            }
            Self::CurrentStory { story } => {
                write!(f, "{story} is the story of this iteration, which no amendment touches")
            }
            Self::Done { story } => write!(f, "{story} is done, and stays as it is"),
            Self::UnderReview { story, status } => {
                write!(f, "{story} is in review (reviewStatus {status}), and stays")
            }
            Self::IdTaken { story } => {
                write!(f, "the list has a story {story} already; choose another id")
            }
            Self::CriteriaDropped { story, missing } => write!(
                f,
                "{missing} of the acceptance criteria of {story} would go or be reworded; repeat \
                 them all word for word, and add to them"
            ),
            Self::ChangesNothing { story } => write!(f, "changes nothing about {story}"),
            Self::NotSplit { story } => write!(
                f,
                "a story goes only where others take its place: before this amendment, add \
                 stories with \"split_from\": \"{story}\""
            ),
            Self::SplitLosesCriteria { story, missing } => write!(
                f,
                "{missing} of the acceptance criteria of {story} are in none of the stories that \
                 name it in \"split_from\"; repeat each of them word for word"
            ),
            Self::NeededBy { story, by } => {
                write!(f, "{} would wait for {story}, which is gone then", listed(by))
            }
            Self::BreaksList { problems } => {
                write!(f, "the list would not be acceptable with it{}", Why(problems))
            }
            Self::BrokenList { problems } => {
                write!(f, "the list itself is not acceptable{}", Why(problems))
            }
            Self::NotEditable(error) => error.fmt(f),
        }
    }
}

/// The first few of some stories.
pub(super) fn listed(ids: &[StoryId]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<&str> = ids.iter().take(SHOWN).map(StoryId::as_str).collect();
    match ids.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
