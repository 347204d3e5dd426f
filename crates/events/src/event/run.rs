//! The start and end of a run.

use serde::{Deserialize, Serialize};
use tasks::StoryId;

use super::{LoopKind, StoryBrief, WaitingStory};
use crate::RunEnd;

/// The options that a run starts with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStart {
    pub version: String,
    pub pid: u32,
    #[serde(default, rename = "loop")]
    pub kind: LoopKind,
    /// The folder of the project.
    pub project: String,
    /// The project name of the task list; for a prompt loop, the source of its prompt.
    pub name: String,
    /// Empty without git.
    pub branch: String,
    /// The branch to merge into: where the run began, else the default branch.
    pub base: Option<String>,
    /// For example `codex`.
    pub agent: String,
    pub model: Option<String>,
    pub max_iterations: u64,
    /// `None` without reviews.
    pub review_cap: Option<u64>,
    pub ceiling_usd: Option<f64>,
    /// Failed attempts allowed per story; `None` in a prompt loop.
    pub max_attempts: Option<u64>,
    /// The story that the run is limited to.
    pub only_story: Option<StoryId>,
    /// The time limit of the whole run.
    pub max_seconds: Option<f64>,
    /// Commands that must pass before work counts; unknown for older runs.
    pub checks: Option<u64>,
    /// How many stories are worked on at once, each in a clone; `None` if the run works in the user's work tree.
    pub jobs: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEnded {
    pub end: RunEnd,
    pub exit_code: u8,
    pub text: String,
    pub iterations: u64,
    pub accepted: u64,
    pub failed: u64,
    pub seconds: f64,
    pub cost_usd: f64,
    pub stories: Vec<StoryBrief>,
    /// Why stories cannot start.
    pub blocked: Vec<String>,
    /// Stories that wait for other stories.
    #[serde(default)]
    pub waiting: Vec<WaitingStory>,
}
