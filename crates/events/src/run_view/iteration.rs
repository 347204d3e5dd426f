//! Parts of an iteration: the verdict of a review, the running check, the agent's list of tasks, the last activity.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::ReviewStatus;

use crate::{TodoItem, TodoState, concerns_at_cap};

/// Characters of a text that shows current activity.
const LONGEST: usize = 200;

/// The verdict of a review. The runner accepts any of them as a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Approved,
    /// It must approve, because it was the last allowed review.
    ApprovedAtCap,
    ChangesRequested,
}

impl Verdict {
    /// `None` if the story has no verdict.
    pub fn of(to: ReviewStatus, feedback: &str) -> Option<Self> {
        match to {
            ReviewStatus::Approved if concerns_at_cap(feedback).is_some() => {
                Some(Self::ApprovedAtCap)
            }
            ReviewStatus::Approved => Some(Self::Approved),
            ReviewStatus::ChangesRequested => Some(Self::ChangesRequested),
            ReviewStatus::NeedsReview | ReviewStatus::NotSubmitted => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoView {
    pub done: u64,
    pub of: u64,
    pub current: Option<String>,
    /// One line each.
    #[serde(skip)]
    pub items: Vec<TodoItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    pub command: String,
    pub number: u64,
    pub of: u64,
    pub started_at: DateTime<Utc>,
}

/// An activity and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    pub at: DateTime<Utc>,
    pub text: String,
}

impl TodoView {
    pub fn of(items: &[TodoItem]) -> Self {
        let of_state = |state: TodoState| items.iter().filter(move |item| item.state == state);
        Self {
            done: of_state(TodoState::Done).count() as u64,
            of: items.len() as u64,
            current: of_state(TodoState::InProgress).next().map(|item| first_line(&item.text)),
            items: items
                .iter()
                .map(|item| TodoItem { text: first_line(&item.text), state: item.state })
                .collect(),
        }
    }
}

pub(super) fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().chars().take(LONGEST).collect()
}
