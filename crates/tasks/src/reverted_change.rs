//! The reverted changes of an iteration to the task list: from the agent's value to the restored
//! one.

use std::fmt;

use crate::violation::{changed_criteria, commands};
use crate::{Problem, ReviewChange, StoryId, show};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevertedChange {
    Review {
        story: StoryId,
        change: ReviewChange,
    },
    /// `reviewFeedback`, restored with its review fields.
    Feedback {
        story: StoryId,
        old: String,
        new: String,
    },
    /// All acceptance criteria of a story are restored.
    Criteria {
        story: StoryId,
        before: usize,
        missing: usize,
        added: usize,
    },
    /// Another field of a story or of the list, with values formatted for messages.
    Field {
        story: Option<StoryId>,
        field: String,
        old: String,
        new: String,
    },
    /// A removed story is restored.
    Removal {
        story: StoryId,
    },
    VerifyCommands {
        old: Vec<String>,
        new: Vec<String>,
    },
    /// The list was invalid; all of it is restored.
    WholeFile {
        problems: Vec<Problem>,
    },
    /// The allowed changes contradict the restored values, such as a dependency on a removed
    /// story; all of the list is restored.
    RestOfFile {
        problems: Vec<Problem>,
    },
}

impl fmt::Display for RevertedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Review { story, change } => write!(f, "story {story}: {change}"),
            Self::Feedback { story, old, new } => write!(
                f,
                "story {story}: reviewFeedback {} → {}",
                show::quoted(old),
                show::quoted(new)
            ),
            Self::Criteria { story, before, missing, added } => write!(
                f,
                "story {story}: acceptanceCriteria restored: {}",
                changed_criteria(*before, *missing, *added)
            ),
            Self::Field { story: Some(story), field, old, new } => {
                write!(f, "story {story}: {} {old} → {new}", show::name(field))
            }
            Self::Field { story: None, field, old, new } => {
                write!(f, "{} {old} → {new}", show::name(field))
            }
            Self::Removal { story } => write!(f, "story {story}: restored; it had been removed"),
            Self::VerifyCommands { old, new } => {
                write!(f, "verifyCommands {} → {}", commands(old), commands(new))
            }
            Self::WholeFile { problems } => {
                write!(f, "the whole task list is restored; it was invalid{}", Why(problems))
            }
            Self::RestOfFile { problems } => write!(
                f,
                "all other changes to the task list; they contradict the restored values{}",
                Why(problems)
            ),
        }
    }
}

/// The first few problems, after a colon.
pub(crate) struct Why<'p>(pub(crate) &'p [Problem]);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        for (position, problem) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if position == 0 { ": " } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more problems"),
        }
    }
}
