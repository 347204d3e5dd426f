//! The start and end of an iteration and of its session.

use agents::TokenCount;
use serde::{Deserialize, Serialize};
use tasks::StoryId;

use super::{AgentOutcome, IterationMode, IterationStatus};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationStarted {
    pub iteration: u64,
    /// 1, and more when the same iteration is retried after a failure of the agent.
    pub attempt: u64,
    pub mode: IterationMode,
    /// None in a prompt loop and for a final review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryId>,
    pub title: String,
    pub model: Option<String>,
    pub session: String,
    /// Its folder, relative to the project.
    pub folder: String,
    /// Empty without git.
    pub checkpoint: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEnded {
    pub outcome: AgentOutcome,
    /// A sentence, where the outcome alone is not enough.
    pub detail: String,
    pub cost_usd: Option<f64>,
    pub tokens: TokenCount,
    pub turns: Option<u64>,
    pub seconds: f64,
    pub context_window: Option<u64>,
    /// Processes that the agent left running and the runner ended.
    pub leftovers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationEnded {
    pub iteration: u64,
    pub mode: IterationMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryId>,
    pub status: IterationStatus,
    pub seconds: f64,
    pub agent_seconds: f64,
    #[serde(alias = "gateSeconds")]
    pub check_seconds: f64,
    pub cost_usd: f64,
    pub total_cost_usd: f64,
    pub done: u64,
    pub stories: u64,
    /// HEAD after the iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
