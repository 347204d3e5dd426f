//! Stories as a report tells of them, by what became of them.

use engine::{Gate, GivenUp, LoopEvent, StoryBrief, Tier};
use serde::Serialize;
use tasks::StoryId;

use crate::report::reviews;

/// What is told of every story.
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
    /// What the reviewer still had to say when the last review had to approve it.
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

/// One that waits for a failed story, or for one that does.
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
    /// In words.
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
    /// In a line.
    pub error: String,
    pub error_hash: String,
    /// How often in a row it was this failure.
    pub repeats: u64,
    /// What it was given that those before it were not.
    pub given: Vec<Tier>,
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
    /// `None` of any other event.
    pub(super) fn of(event: &LoopEvent, given: Vec<Tier>) -> Option<Self> {
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
