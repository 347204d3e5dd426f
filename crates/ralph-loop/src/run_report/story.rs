//! The stories of a report, by result.

use events::{EscalationTier, Gate, GivenUp, LoopEvent, StoryBrief};
use serde::Serialize;
use tasks::StoryId;

use crate::report::reviews;

/// Data of every story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryFacts {
    pub id: StoryId,
    pub title: String,
    pub reviews: u64,
    pub failed_attempts: u64,
    pub cost_usd: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    /// The concerns of the last review, if it was approved at the review limit.
    pub auto_approved: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub given_up: GivenUp,
    pub quality_warnings: Vec<String>,
    pub history: Vec<Attempt>,
}

/// Depends on a failed story, directly or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub waits_for: Vec<StoryId>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnfinishedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub state: &'static str,
    pub history: Vec<Attempt>,
}

/// A failed attempt at a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    pub attempt: u64,
    pub iteration: u64,
    pub gate: Gate,
    pub error: String,
    pub error_hash: String,
    /// Consecutive attempts with this failure.
    pub repeats: u64,
    /// Escalations that applied from this attempt on.
    pub given: Vec<EscalationTier>,
}

impl StoryFacts {
    pub(super) fn of(story: &StoryBrief) -> Self {
        Self {
            id: story.id.clone(),
            title: story.title.clone(),
            reviews: reviews(story),
            failed_attempts: story.failed_attempts,
            cost_usd: story.cost_usd,
        }
    }
}

impl Attempt {
    /// `None` for any other event.
    pub(super) fn of(event: &LoopEvent, given: Vec<EscalationTier>) -> Option<Self> {
        let LoopEvent::AttemptFailed {
            iteration, attempt, gate, error, error_hash, repeats, ..
        } = event
        else {
            return None;
        };
        Some(Self {
            attempt: *attempt,
            iteration: *iteration,
            gate: *gate,
            error: error.clone(),
            error_hash: error_hash.clone(),
            repeats: *repeats,
            given,
        })
    }
}
