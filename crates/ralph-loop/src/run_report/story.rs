//! The stories of a report, by result.

use events::{FailedAttempt, GivenUp, StoryBrief};
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
    pub history: Vec<FailedAttempt>,
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
    pub history: Vec<FailedAttempt>,
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
