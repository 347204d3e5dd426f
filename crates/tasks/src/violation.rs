//! Forbidden changes of the task list and their messages: story, field, old and new value, and the
//! fix.

use std::fmt;

use crate::field_digests::{DEPENDS_ON, REVIEW_FEEDBACK};
use crate::{FieldEdit, Mode, ReviewStatus, StoryId, show};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A change that this mode does not allow.
    Moved {
        story: StoryId,
        mode: Mode,
        change: ReviewChange,
    },
    /// An allowed change, but to another story.
    OtherStory {
        story: StoryId,
        mode: Mode,
        change: ReviewChange,
        instead_of: StoryId,
    },
    /// A review changed a story that was not submitted.
    NotAwaitingReview {
        story: StoryId,
        change: ReviewChange,
        status_before: ReviewStatus,
    },
    /// A verdict without a higher `reviewCount`.
    VerdictNotCounted {
        story: StoryId,
        verdict: ReviewStatus,
        count: u64,
    },
    /// A higher `reviewCount` without a verdict.
    CountedWithoutVerdict {
        story: StoryId,
        old: u64,
        new: u64,
    },
    /// The review cap is reached, so the review must approve.
    ChangesRequestedAtCap {
        story: StoryId,
        count: u64,
        cap: u64,
    },
    /// Submitted again without clearing the feedback.
    FeedbackNotCleared {
        story: StoryId,
        feedback: String,
    },
    /// A new story whose review state is not the initial one.
    NewStoryWithProgress {
        story: StoryId,
        change: ReviewChange,
    },
    /// A field of a new story that sessions may not set.
    NewStoryField {
        story: StoryId,
        field: &'static str,
    },
    /// A review field changed while no session ran.
    MovedWithoutSession {
        story: StoryId,
        change: ReviewChange,
    },
    /// A field of an existing story that the session may not change.
    FieldEdited {
        story: StoryId,
        field: String,
        edit: FieldEdit,
        /// `None` while no session ran.
        mode: Option<Mode>,
    },
    ListFieldEdited {
        field: String,
        edit: FieldEdit,
    },
    /// Removed, and no new story names it in `splitFrom`; or removed in a review.
    StoryRemoved {
        story: StoryId,
    },
    /// Split into stories that lack some of its criteria.
    SplitLosesCriteria {
        story: StoryId,
        before: usize,
        missing: usize,
    },
    /// Criteria of an existing story were removed or added.
    CriteriaChanged {
        story: StoryId,
        before: usize,
        missing: usize,
        /// More than the missing ones; a reworded criterion counts as missing only.
        added: usize,
    },
    VerifyCommandsChanged {
        old: Vec<String>,
        new: Vec<String>,
    },
}

/// A change of a field of the review cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewChange {
    Passes { old: bool, new: bool },
    Status { old: ReviewStatus, new: ReviewStatus },
    Count { old: u64, new: u64 },
}

impl fmt::Display for ReviewChange {
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
                 one is about {instead_of}. Restore {story}."
            ),
            Self::NotAwaitingReview { story, change, status_before } => write!(
                f,
                "story {story}: {change}: a review may only judge a story whose reviewStatus is \
                 \"needs_review\"; this one had {status_before}. Restore it."
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
                 and write what remains to reviewFeedback after [AUTO-APPROVED AT CAP]."
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
                 and reviewCount 0. Set these values; the story gets its own iterations."
            ),
            Self::StoryRemoved { story } => write!(
                f,
                "story {story}: removed. Restore it. To split it (not in a review), name it in \
                 every new story: \"splitFrom\": \"{story}\"."
            ),
            Self::NewStoryField { story, field } => write!(
                f,
                "story {story}: {field}: {}",
                match *field {
                    REVIEW_FEEDBACK => "a new story has had no review. Set it to \"\".",
                    _ => "only the user sets it. Remove it from the new story.",
                }
            ),
            Self::MovedWithoutSession { story, change } => {
                write!(f, "story {story}: {change}: no session was running. Restore it.")
            }
            Self::FieldEdited { story, field, edit, mode } => write!(
                f,
                "story {story}: {}: {edit}: {}. {}",
                show::name(field),
                allowed_fields(*mode, field),
                fix(*edit)
            ),
            Self::ListFieldEdited { field, edit } => write!(
                f,
                "task list: {}: {edit}: only the user changes the fields of the list. {}",
                show::name(field),
                fix(*edit)
            ),
            Self::SplitLosesCriteria { story, before, missing } => write!(
                f,
                "story {story}: split, but {missing} of {before} criteria are in none of the new \
                 stories. Repeat the exact text of each criterion in one of them."
            ),
            Self::CriteriaChanged { story, before, missing, added } => write!(
                f,
                "story {story}: acceptanceCriteria: {}. Restore their exact text. Add a new story \
                 for missing requirements.",
                changed_criteria(*before, *missing, *added)
            ),
            Self::VerifyCommandsChanged { old, new } => write!(
                f,
                "verifyCommands {} → {}: only the user changes the checks of the project. Restore \
                 them.",
                commands(old),
                commands(new)
            ),
        }
    }
}

/// `1 of 3 criteria dropped or reworded, 2 criteria added`
pub(crate) fn changed_criteria(before: usize, missing: usize, added: usize) -> String {
    let missing =
        (missing > 0).then(|| format!("{missing} of {before} criteria dropped or reworded"));
    let noun = if added == 1 { "criterion" } else { "criteria" };
    let added = (added > 0).then(|| format!("{added} {noun} added"));
    missing.into_iter().chain(added).collect::<Vec<_>>().join(", ")
}

/// What may change instead of `field`.
fn allowed_fields(mode: Option<Mode>, field: &str) -> &'static str {
    match (mode, field) {
        (Some(_), REVIEW_FEEDBACK) => {
            "a review writes feedback with its verdict, and a resubmission clears it"
        }
        (Some(_), DEPENDS_ON) => {
            "it may change only after a split, from the old id to the new ones"
        }
        (Some(Mode::Review), _) => {
            "a review may change only the review fields and the notes of its story"
        }
        (Some(Mode::Implement | Mode::ReviewFix), _) => {
            "an iteration may change only reviewStatus, reviewFeedback and notes of its own story"
        }
        (None, _) => {
            "between sessions only priorities and notes may change, and stories may be added"
        }
    }
}

fn fix(edit: FieldEdit) -> &'static str {
    match edit {
        FieldEdit::Added => "Remove it.",
        FieldEdit::Changed | FieldEdit::Removed => "Restore its old value.",
    }
}

pub(crate) fn commands(commands: &[String]) -> String {
    let shown: Vec<String> = commands.iter().take(5).map(|command| show::quoted(command)).collect();
    let more = if commands.len() > 5 { ", …" } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// Why a mode may not make a change, and what to do instead.
struct Forbidden(Mode, ReviewChange);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(mode, change) = self;
        match change {
            ReviewChange::Passes { new: true, .. } => write!(
                f,
                "{mode} iterations cannot set passes=true, only a review may. Set it back to \
                 false and submit the story with reviewStatus \"needs_review\"."
            ),
            ReviewChange::Passes { .. } => write!(
                f,
                "{mode} iterations cannot reopen a story. Set it back to true; if something broke, \
                 add a new story for it."
            ),
            ReviewChange::Status { new: ReviewStatus::Approved, old } => write!(
                f,
                "{mode} iterations cannot approve, only a review may. Set it to {}.",
                submitted_or(*mode, *old)
            ),
            ReviewChange::Status { old, .. } => match mode {
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
            ReviewChange::Count { old, .. } => match mode {
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

/// The values that this mode may set, for the hint of a message.
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
