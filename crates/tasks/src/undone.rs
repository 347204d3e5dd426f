//! What was taken back of an iteration's changes to the task list: from what the agent wrote to what
//! stands now.

use std::fmt;

use crate::violation::{changed_criteria, commands};
use crate::{Change, Problem, StoryId, show};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// A review field of a story.
    Review {
        story: StoryId,
        change: Change,
    },
    /// `reviewFeedback`, which went with the review it belonged to.
    Feedback {
        story: StoryId,
        old: String,
        new: String,
    },
    /// All acceptance criteria of a story are those from before.
    Criteria {
        story: StoryId,
        before: usize,
        missing: usize,
        added: usize,
    },
    /// Another field, of a story or of the list itself; the values as they are shown.
    Field {
        story: Option<StoryId>,
        field: String,
        old: String,
        new: String,
    },
    /// A story that had been removed is there again.
    Removal {
        story: StoryId,
    },
    VerifyCommands {
        old: Vec<String>,
        new: Vec<String>,
    },
    /// The list was not acceptable; all of it is as it was before.
    WholeFile {
        problems: Vec<Problem>,
    },
    /// The changes that might have stayed do not go with what was put back (a story waits for one
    /// that is not there any more, say); all of the list is as it was before.
    RestOfFile {
        problems: Vec<Problem>,
    },
}

impl fmt::Display for Undone {
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
                "story {story}: acceptanceCriteria are as before: {}",
                changed_criteria(*before, *missing, *added)
            ),
            Self::Field { story: Some(story), field, old, new } => {
                write!(f, "story {story}: {} {old} → {new}", show::name(field))
            }
            Self::Field { story: None, field, old, new } => {
                write!(f, "{} {old} → {new}", show::name(field))
            }
            Self::Removal { story } => write!(f, "story {story}: put back; it had been removed"),
            Self::VerifyCommands { old, new } => {
                write!(f, "verifyCommands {} → {}", commands(old), commands(new))
            }
            Self::WholeFile { problems } => {
                write!(
                    f,
                    "the whole task list is as before; it was not acceptable{}",
                    Why(problems)
                )
            }
            Self::RestOfFile { problems } => write!(
                f,
                "all other changes to the task list; they do not go with what was put back{}",
                Why(problems)
            ),
        }
    }
}

/// The first few problems, behind a colon.
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
