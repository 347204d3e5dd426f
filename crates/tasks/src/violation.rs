//! A change that the iteration's mode does not allow, as data that reads as a sentence: which story,
//! which field, what it was, what it is, and what to do instead.

use std::fmt;

use crate::{Mode, ReviewStatus, StoryId, show};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A field moved in a way this mode may not move it.
    Moved {
        story: StoryId,
        mode: Mode,
        change: Change,
    },
    /// The right kind of change, but on a story this iteration is not about.
    OtherStory {
        story: StoryId,
        mode: Mode,
        change: Change,
        instead_of: StoryId,
    },
    /// A review touched a story nobody submitted.
    NotAwaitingReview {
        story: StoryId,
        change: Change,
        status_before: ReviewStatus,
    },
    /// A verdict without counting the review.
    VerdictNotCounted {
        story: StoryId,
        verdict: ReviewStatus,
        count: u64,
    },
    /// A review was counted, but there is no verdict.
    CountedWithoutVerdict {
        story: StoryId,
        old: u64,
        new: u64,
    },
    /// The reviews are used up, this one has to approve.
    ChangesRequestedAtCap {
        story: StoryId,
        count: u64,
        cap: u64,
    },
    /// Submitted again with the old feedback still in place.
    FeedbackNotCleared {
        story: StoryId,
        feedback: String,
    },
    /// A new story that claims to be under way.
    NewStoryWithProgress {
        story: StoryId,
        change: Change,
    },
    /// Gone, and no new story names it in `splitFrom`; in a review, gone at all.
    StoryRemoved {
        story: StoryId,
    },
    /// Criteria of an existing story that are not there any more.
    CriteriaDropped {
        story: StoryId,
        before: usize,
        missing: usize,
    },
    VerifyCommandsChanged {
        old: Vec<String>,
        new: Vec<String>,
    },
}

/// One of the fields that belong to the review cycle, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Passes { old: bool, new: bool },
    Status { old: ReviewStatus, new: ReviewStatus },
    Count { old: u64, new: u64 },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passes { old, new } => write!(f, "passes {old} → {new}"),
            Self::Status { old, new } => write!(f, "reviewStatus {old} → {new}"),
            Self::Count { old, new } => write!(f, "reviewCount {old} → {new}"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved { story, mode, change } => {
                write!(f, "story {story}: {change}: {}", Forbidden(*mode, *change))
            }
            Self::OtherStory { story, mode, change, instead_of } => write!(
                f,
                "story {story}: {change}: {mode} iterations may only modify one story, and this \
                 one is about {instead_of}. Put {story} back as it was."
            ),
            Self::NotAwaitingReview { story, change, status_before } => write!(
                f,
                "story {story}: {change}: a review may only judge a story whose reviewStatus is \
                 \"needs_review\"; this one had {status_before}. Put it back as it was."
            ),
            Self::VerdictNotCounted { story, verdict, count } => write!(
                f,
                "story {story}: reviewStatus \"needs_review\" → {verdict} with reviewCount still \
                 {count}: a review must increment reviewCount. Set it to {}.",
                count.saturating_add(1)
            ),
            Self::CountedWithoutVerdict { story, old, new } => write!(
                f,
                "story {story}: reviewCount {old} → {new} with reviewStatus still \
                 \"needs_review\": a review that counts needs a verdict. Set \"approved\" with \
                 passes true, or \"changes_requested\" with reviewFeedback, or set reviewCount \
                 back to {old}."
            ),
            Self::ChangesRequestedAtCap { story, count, cap } => write!(
                f,
                "story {story}: reviewStatus \"needs_review\" → \"changes_requested\" at review \
                 {count} of {cap}: the review cap is reached. Set \"approved\" with passes true, \
                 and write what remains to reviewFeedback behind [AUTO-APPROVED AT CAP]."
            ),
            Self::FeedbackNotCleared { story, feedback } => write!(
                f,
                "story {story}: submitted again while reviewFeedback is still {}. Set \
                 reviewFeedback to \"\" once every point of it is addressed.",
                show::quoted(feedback)
            ),
            Self::NewStoryWithProgress { story, change } => write!(
                f,
                "story {story}: {change}: a new story starts with passes false, reviewStatus null \
                 and reviewCount 0. Set them so; it gets its own iterations."
            ),
            Self::StoryRemoved { story } => write!(
                f,
                "story {story}: removed. Put it back; to split it, which a review may not, let every new \
                 story name it: \"splitFrom\": \"{story}\"."
            ),
            Self::CriteriaDropped { story, before, missing } => write!(
                f,
                "story {story}: acceptanceCriteria: {missing} of {before} criteria dropped or \
                 reworded. Restore their exact text; adding criteria is fine."
            ),
            Self::VerifyCommandsChanged { old, new } => write!(
                f,
                "verifyCommands {} → {}: the checks of the project are not the agent's to change. \
                 Restore them.",
                commands(old),
                commands(new)
            ),
        }
    }
}

pub(crate) fn commands(commands: &[String]) -> String {
    let shown: Vec<String> = commands.iter().take(5).map(|command| show::quoted(command)).collect();
    let more = if commands.len() > 5 { ", …" } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// Why a mode may not make a change, and what to do instead.
struct Forbidden(Mode, Change);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(mode, change) = self;
        match change {
            Change::Passes { new: true, .. } => write!(
                f,
                "{mode} iterations cannot set passes=true, only a review may. Set it back to \
                 false and submit the story with reviewStatus \"needs_review\"."
            ),
            Change::Passes { .. } => write!(
                f,
                "{mode} iterations cannot reopen a story. Set it back to true; if something broke, \
                 add a new story for it."
            ),
            Change::Status { new: ReviewStatus::Approved, old } => write!(
                f,
                "{mode} iterations cannot approve, only a review may. Set it to {}.",
                submitted_or(*mode, *old)
            ),
            Change::Status { old, .. } => match mode {
                Mode::Implement => write!(
                    f,
                    "implement iterations may only move their story from null to \
                     \"needs_review\". Set it to {}.",
                    submitted_or(*mode, *old)
                ),
                Mode::ReviewFix => write!(
                    f,
                    "review-fix iterations may only move their story from \"changes_requested\" \
                     to \"needs_review\". Set it to {}.",
                    submitted_or(*mode, *old)
                ),
                Mode::Review => f.write_str(
                    "a review ends with \"approved\" or \"changes_requested\", or leaves the \
                     story as it was. Set one of them.",
                ),
            },
            Change::Count { old, .. } => match mode {
                Mode::Review => write!(
                    f,
                    "a review raises reviewCount by exactly 1. Set it to {}.",
                    old.saturating_add(1)
                ),
                Mode::Implement | Mode::ReviewFix => write!(
                    f,
                    "{mode} iterations cannot increment or change reviewCount, only a review \
                     counts. Set it back to {old}."
                ),
            },
        }
    }
}

/// The values this mode could have set: the way out that a message names.
fn submitted_or(mode: Mode, old: ReviewStatus) -> String {
    let submits = matches!(
        (mode, old),
        (Mode::Implement, ReviewStatus::NotSubmitted)
            | (Mode::ReviewFix, ReviewStatus::ChangesRequested)
    );
    if submits {
        format!("\"needs_review\" when the work is ready for review, else back to {old}")
    } else {
        format!("{old} again")
    }
}
