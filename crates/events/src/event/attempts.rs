//! Parts of events about failing stories: attempts, escalations and giving up.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tasks::{BlockedReason, BlockedStory, StoryId};

use super::IterationMode;

/// Where an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Gate {
    /// The session: timed out, crashed, or without a result.
    Implement,
    /// The rules for an iteration.
    Rules,
    /// The tests of the proof.
    Proof,
    /// The project's checks.
    Tests,
    /// The review in a fresh context.
    SpecReview,
    /// Merging the work into the run's branch, and the checks of the merged files.
    Merge,
}

/// An iteration that counts as a failed attempt at its story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptFailed {
    pub story: StoryId,
    pub iteration: u64,
    pub attempt: u64,
    pub of: u64,
    pub gate: Gate,
    pub error: String,
    pub error_hash: String,
    /// How often this failure occurred in a row.
    pub repeats: u64,
}

/// What the next attempt gets after the same failure in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EscalationTier {
    /// An instruction to try another approach.
    StrategyShift,
    /// The files that the error names.
    ContextExpansion,
    /// Another model of the same agent.
    StrongerModel,
    OtherAgent,
    /// Several fresh attempts, of which one is taken over.
    Candidates,
}

/// The agent of an iteration or of another session, if it is not the one that the settings name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentReplaced {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryId>,
    /// `None` for a session outside the iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<IterationMode>,
    pub agent: String,
    pub instead_of: String,
    /// When the usage limit of that agent resets. `None` if it implemented what is to be reviewed.
    pub until: Option<DateTime<Utc>>,
}

/// A story that the run gave up, for a person to examine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenUp {
    pub given_up_at: DateTime<Utc>,
    pub reason: GiveUpReason,
    pub attempts: u64,
    pub of: u64,
    /// Failed attempts.
    #[serde(default)]
    pub reviews: u64,
    pub last_gate: Gate,
    pub error: String,
    pub error_hash: String,
    pub stuck: Stuck,
    /// The branch with its work, if it has any.
    pub branch: Option<String>,
    /// The file on that branch with all outputs, relative to the task list.
    pub diagnostics: Option<String>,
    #[serde(alias = "putBack")]
    pub commits: StoryCommits,
    /// Stories that depend on it.
    pub dependants: Vec<StoryId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GiveUpReason {
    AttemptsUsed,
    /// The same failure in a row, despite all escalations.
    Stuck,
    /// The last allowed review did not approve it.
    ReviewCap,
    /// The user skipped it.
    Skipped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Stuck {
    No,
    Yes {
        /// How often the same failure occurred in a row.
        repeats: u64,
        #[serde(rename = "strategyShifts")]
        strategy_shifts: u64,
    },
}

/// What the runner did with the story's commits on the run's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum StoryCommits {
    /// It had none, or it was worked on in a clone.
    Nothing,
    /// The branch was reset to where the story began.
    Rewound,
    /// Reverted by a commit, because other commits follow them or they were pushed.
    #[serde(alias = "undone")]
    Reverted {
        commit: String,
        #[serde(default)]
        checks: ChecksWithout,
    },
    /// Kept, because later work builds on them.
    #[serde(alias = "stays")]
    Kept { conflicts: Vec<String> },
}

/// The result of the project's checks without the work of a reverted story.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ChecksWithout {
    Passed,
    Failed {
        /// The first failed check.
        command: String,
        error: String,
        /// Stories approved since the reverted one began, which may depend on it.
        approved: Vec<StoryId>,
    },
    /// The project has no checks, or the run was stopped before they finished.
    #[default]
    NotRun,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum TimedTask {
    #[strum(to_string = "the run")]
    Run,
    /// A session that implements or fixes.
    #[strum(to_string = "the session")]
    Implement,
    #[strum(to_string = "the review")]
    Review,
    #[strum(to_string = "the check")]
    Check,
    #[strum(to_string = "the quality check")]
    Quality,
    /// A session that compacts handoffs.
    #[strum(to_string = "the compaction")]
    Memory,
}

/// A failed iteration that was rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolledBack {
    pub iteration: u64,
    pub story: StoryId,
    /// The commit that was restored.
    pub to: String,
    /// The ref with its changes; empty if it had none.
    pub backup: String,
    pub removed: u64,
    pub restored: u64,
    /// Paths that could not be restored, with reasons.
    pub left: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QualityOutcome {
    Checked,
    TimedOut,
    /// The agent failed, or its answer is unreadable.
    Failed,
    Stopped,
}

/// Tests of one file that an iteration deleted, skipped or weakened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeakenedTests {
    pub path: String,
    /// A line each.
    pub findings: Vec<String>,
}

/// A story that cannot start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStory {
    pub story: StoryId,
    /// Open stories that it depends on.
    pub waits_for: Vec<StoryId>,
}

impl WaitingStory {
    /// `None` if it waits for no other story.
    pub fn of(blocked: &BlockedStory) -> Option<Self> {
        match &blocked.waiting {
            BlockedReason::For(ids) => {
                Some(Self { story: blocked.story.clone(), waits_for: ids.clone() })
            }
            BlockedReason::GivenUp | BlockedReason::Answer | BlockedReason::OutOfSync => None,
        }
    }
}
