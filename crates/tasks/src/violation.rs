//! Forbidden changes of the task list: what must be restored, and the message with story, field,
//! old and new value, and the fix.

use std::fmt::Display;

use itertools::Itertools;

use crate::field_digests::{DEPENDS_ON, FieldEdit, REVIEW_FEEDBACK};
use crate::{Mode, ReviewStatus, StoryId, VerifyCommand};

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{message}")]
pub struct Violation {
    pub restore: Restore,
    pub message: String,
}

/// What must be restored. Sorts in the order of the messages about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Restore {
    /// The review fields of a story.
    Review(StoryId),
    /// A story that was added in a mode that may not add any.
    Added(StoryId),
    /// A story that was removed.
    Removed(StoryId),
    /// All criteria of a story, with a description of their change.
    Criteria(StoryId, String),
    VerifyCommands,
    /// Another field of a story (`Some`) or of the list (`None`).
    Field(Option<StoryId>, String),
}

impl Restore {
    pub(crate) fn added(&self) -> Option<&StoryId> {
        match self {
            Self::Added(story) => Some(story),
            _ => None,
        }
    }
}

impl Violation {
    pub(crate) fn review(story: &StoryId, what: impl Display) -> Self {
        Self::of_story(story, Restore::Review(story.clone()), what)
    }

    /// Feedback is restored together with the review fields.
    pub(crate) fn field(story: &StoryId, field: &str, what: impl Display) -> Self {
        let restore = match field {
            REVIEW_FEEDBACK => Restore::Review(story.clone()),
            _ => Restore::Field(Some(story.clone()), field.to_owned()),
        };
        Self::of_story(story, restore, what)
    }

    pub(crate) fn of_story(story: &StoryId, restore: Restore, what: impl Display) -> Self {
        Self { restore, message: format!("story {story}: {what}") }
    }

    /// A change that this mode does not allow.
    pub(crate) fn moved(story: &StoryId, mode: Mode, change: ReviewChange) -> Self {
        Self::review(story, format!("{change}: {}", forbidden(mode, change)))
    }
}

/// A change of a field of the review cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub(crate) enum ReviewChange {
    #[display("passes {old} → {new}")]
    Passes { old: bool, new: bool },
    #[display("reviewStatus {old} → {new}")]
    Status { old: ReviewStatus, new: ReviewStatus },
    #[display("reviewCount {old} → {new}")]
    Count { old: u64, new: u64 },
}

/// `1 of 3 criteria dropped or reworded, 2 criteria added`
pub(crate) fn changed_criteria(before: usize, missing: usize, added: usize) -> String {
    let missing =
        (missing > 0).then(|| format!("{missing} of {before} criteria dropped or reworded"));
    let noun = if added == 1 { "criterion" } else { "criteria" };
    let added = (added > 0).then(|| format!("{added} {noun} added"));
    missing.into_iter().chain(added).join(", ")
}

/// What may change instead of `field`. Without a mode, no session ran.
pub(crate) fn allowed_fields(mode: Option<Mode>, field: &str) -> &'static str {
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
        (Some(Mode::Specify), _) => "a specify iteration may change only the notes of its story",
        (Some(Mode::Implement | Mode::ReviewFix), _) => {
            "an iteration may change only reviewStatus, reviewFeedback and notes of its own story"
        }
        (None, _) => {
            "between sessions only priorities and notes may change, and stories may be added"
        }
    }
}

pub(crate) fn fix(edit: FieldEdit) -> &'static str {
    match edit {
        FieldEdit::Added => "Remove it.",
        FieldEdit::Changed | FieldEdit::Removed => "Restore its old value.",
    }
}

pub(crate) fn commands(commands: &[VerifyCommand]) -> String {
    let more = if commands.len() > 5 { ", …" } else { "" };
    format!("[{}{more}]", commands.iter().take(5).map(VerifyCommand::shown).join(", "))
}

/// Why a mode may not make a change, and what to do instead.
fn forbidden(mode: Mode, change: ReviewChange) -> String {
    match (change, mode) {
        (ReviewChange::Passes { new: true, .. }, _) => format!(
            "{mode} iterations cannot set passes=true, only a review may. Set it back to false \
             and submit the story with reviewStatus \"needs_review\"."
        ),
        (ReviewChange::Passes { .. }, _) => format!(
            "{mode} iterations cannot reopen a story. Set it back to true; if something broke, \
             add a new story for it."
        ),
        (ReviewChange::Status { new: ReviewStatus::Approved, old }, _) => format!(
            "{mode} iterations cannot approve, only a review may. Set it to {}.",
            submitted_or(mode, old)
        ),
        (ReviewChange::Status { .. }, Mode::Review) => {
            "a review ends with \"approved\" or \"changes_requested\", or leaves the story as it \
             was. Set one of them."
                .into()
        }
        (ReviewChange::Status { old, .. }, _) => format!(
            "{mode} iterations may only move their story from {} to \"needs_review\". Set it to {}.",
            mode.starts_at(),
            submitted_or(mode, old)
        ),
        (ReviewChange::Count { old, .. }, Mode::Review) => format!(
            "a review raises reviewCount by exactly 1. Set it to {}.",
            old.saturating_add(1)
        ),
        (ReviewChange::Count { old, .. }, _) => format!(
            "{mode} iterations cannot increment or change reviewCount, only a review counts. Set \
             it back to {old}."
        ),
    }
}

/// The values that this mode may set, for the hint of a message.
fn submitted_or(mode: Mode, old: ReviewStatus) -> String {
    if mode != Mode::Review && old == mode.starts_at() {
        format!("\"needs_review\" when the work is ready for review, else back to {old}")
    } else {
        format!("{old} again")
    }
}
