//! A change that the iteration's mode does not allow, as data that reads as a sentence: which story,
//! which field, what it was, what it is, and what to do instead.

use std::fmt;

use crate::field_digests::{DEPENDS_ON, REVIEW_FEEDBACK};
use crate::{FieldEdit, Mode, ReviewStatus, StoryId, show};

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
    /// A field of a new story that no session may set.
    NewStoryField {
        story: StoryId,
        field: &'static str,
    },
    /// A review field moved while no session ran.
    MovedWithoutSession {
        story: StoryId,
        change: Change,
    },
    /// A field of an existing story that is not this session's to change.
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
    /// Gone, and no new story names it in `splitFrom`; in a review, gone at all.
    StoryRemoved {
        story: StoryId,
    },
    /// Split into stories that do not carry all of its criteria.
    SplitLosesCriteria {
        story: StoryId,
        before: usize,
        missing: usize,
    },
    /// Criteria of an existing story that went, or came.
    CriteriaChanged {
        story: StoryId,
        before: usize,
        missing: usize,
        /// Beyond those that took the place of a missing one.
        added: usize,
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
            Self::NewStoryField { story, field } => write!(
                f,
                "story {story}: {field}: {}",
                match *field {
                    REVIEW_FEEDBACK => "a new story has had no review. Set it to \"\".",
                    _ => "only the user sets it. Remove it from the new story.",
                }
            ),
            Self::MovedWithoutSession { story, change } => {
                write!(f, "story {story}: {change}: no session was running. Put it back.")
            }
            Self::FieldEdited { story, field, edit, mode } => write!(
                f,
                "story {story}: {}: {edit}: {}. {}",
                show::name(field),
                allowed_fields(*mode, field),
                way_back(*edit)
            ),
            Self::ListFieldEdited { field, edit } => write!(
                f,
                "task list: {}: {edit}: the fields of the list itself are the user's. {}",
                show::name(field),
                way_back(*edit)
            ),
            Self::SplitLosesCriteria { story, before, missing } => write!(
                f,
                "story {story}: split, but {missing} of {before} criteria are in none of the new \
                 stories. Repeat the exact text of each criterion in one of them."
            ),
            Self::CriteriaChanged { story, before, missing, added } => write!(
                f,
                "story {story}: acceptanceCriteria: {}. Restore their exact text; what is missing \
                 becomes a new story.",
                changed_criteria(*before, *missing, *added)
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
            "only a review writes feedback, with its verdict, and the answer to it clears it"
        }
        (Some(_), DEPENDS_ON) => {
            "it changes only where a story is split: the new ids take the place of the old one"
        }
        (Some(Mode::Review), _) => {
            "a review may change only the review fields and the notes of its story"
        }
        (Some(Mode::Implement | Mode::ReviewFix), _) => {
            "an iteration may change only reviewStatus, reviewFeedback and notes of its own story"
        }
        (None, _) => {
            "between two sessions only priorities and notes may change, and stories be added"
        }
    }
}

fn way_back(edit: FieldEdit) -> &'static str {
    match edit {
        FieldEdit::Added => "Remove it.",
        FieldEdit::Changed | FieldEdit::Removed => "Restore the value that it had.",
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
