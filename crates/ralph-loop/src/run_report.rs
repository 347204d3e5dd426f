//! What became of a run, for somebody who was not there: `ralph-loop report` and `report.md`.
//!
//! `RunReport` is plain data, gathered from the run's events and nothing else; how it reads is
//! `markdown`, and as a page `html`. Not here: what happens right now (`report`), and the task list as it
//! is now (`status`).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use engine::{LoopKind, QualityOutcome, RunEnd, Timed};
use events::LogCheck;
use isolation::Isolation;
use serde::Serialize;
use tasks::StoryId;

use crate::status::RunState;

mod assemble;
mod diffs;
mod file;
mod gather;
mod html;
mod kept_work;
mod markdown;
mod memory;
mod next_steps;
mod repeated;
mod safe_markdown;
mod shell;
mod story;
mod terminal;

pub(crate) use diffs::diffs;
pub use events::concerns_at_cap;
pub(crate) use file::{read, write};
pub(crate) use gather::Gathering;
pub(crate) use html::html;
pub use markdown::markdown;
pub use memory::{Compactions, Handoffs, MemoryReport, PlanChange, PlanOutcome, Rollback};
pub use repeated::RepeatedFailure;
pub(crate) use shell::{quoted, take_over_commands};
pub use story::{Attempt, BlockedStory, CompletedStory, FailedStory, StoryFacts, UnfinishedStory};
pub(crate) use terminal::terminal;

/// The version of the JSON form.
const VERSION: u64 = 1;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    pub version: u64,
    pub run: String,
    /// From the project.
    pub folder: String,
    pub state: RunState,
    #[serde(rename = "loop")]
    pub kind: LoopKind,
    pub name: String,
    /// Empty where there is no git.
    pub branch: String,
    /// The branch to merge the work into, where that is known.
    pub base: Option<String>,
    pub agent: String,
    /// What stood between each agent and the machine.
    pub isolation: BTreeMap<String, Isolation>,
    pub started: Option<DateTime<Utc>>,
    /// When the last thing happened.
    pub last_event: Option<DateTime<Utc>>,
    /// How often it was started: more than once if it was resumed.
    pub starts: u64,
    /// What it worked in all.
    pub seconds: f64,
    /// None of a run that goes on, or was killed.
    pub end: Option<Ending>,
    pub iterations: u64,
    pub max_iterations: u64,
    pub accepted_iterations: u64,
    pub failed_iterations: u64,
    /// None if no agent of it reports what it costs.
    pub cost_usd: Option<f64>,
    /// Of all sessions; 0 where agents do not tell.
    pub turns: u64,
    pub max_attempts: Option<u64>,
    /// Commands that had to pass; not known of older runs.
    pub checks: Option<u64>,
    /// Reviews that a story may have; `None` without reviews.
    pub review_cap: Option<u64>,
    /// Of a loop without stories.
    pub repeated_failure: Option<RepeatedFailure>,
    /// The story that the run was limited to.
    pub only_story: Option<StoryId>,
    pub stories: u64,
    pub completed: Vec<CompletedStory>,
    pub failed: Vec<FailedStory>,
    pub blocked: Vec<BlockedStory>,
    pub unfinished: Vec<UnfinishedStory>,
    pub void_verdicts: Vec<VoidVerdict>,
    pub weakened_tests: Vec<WeakenedFile>,
    pub quality: Vec<QualityReport>,
    pub time_limits: Vec<TimeLimitReached>,
    #[serde(flatten)]
    pub memory: MemoryReport,
    pub next: Vec<NextStep>,
    /// Lines of its log that this program does not understand.
    pub unread_lines: u64,
    /// Whether the log is as the runner wrote it.
    pub log: LogCheck,
    /// What the runner itself noticed of that, in sentences.
    pub log_alterations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ending {
    pub end: RunEnd,
    pub exit_code: u8,
    /// In a sentence.
    pub text: String,
    pub at: DateTime<Utc>,
    /// Why stories wait, where they do.
    pub reasons: Vec<String>,
}

/// A review in which the task list and the reviewer did not give the same verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VoidVerdict {
    pub story: StoryId,
    pub iteration: u64,
    /// What either said.
    pub text: String,
}

/// Tests of one file that an iteration deleted, skipped or loosened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WeakenedFile {
    pub story: StoryId,
    pub iteration: u64,
    pub path: String,
    pub findings: Vec<String>,
    /// The commit that the iteration began with.
    pub checkpoint: Option<String>,
}

/// What the soft gate said about a story last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QualityReport {
    pub story: StoryId,
    pub outcome: QualityOutcome,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLimitReached {
    pub what: Timed,
    pub limit: Limit,
    /// None where it is not told.
    pub seconds: Option<f64>,
    pub iteration: Option<u64>,
    pub story: Option<StoryId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// It was warned about.
    Soft,
    /// It was ended.
    Hard,
}

/// Something a person can do now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// In a sentence or two.
    pub text: String,
    /// For a shell, in this order.
    pub commands: Vec<String>,
}

impl RunReport {
    /// The JSON form.
    pub fn to_json(&self) -> String {
        // Plain data with string keys always becomes JSON.
        sanitize::json(serde_json::to_string_pretty(self).unwrap_or_default()) + "\n"
    }
}

#[cfg(test)]
mod tests;
