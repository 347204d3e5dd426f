//! The records of stories that do not work out: attempts, what was done about them, and the end.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tasks::{BlockedStory, StoryId, Waiting};

/// What an attempt failed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// The session itself: out of time, crashed, or nothing came of it.
    Implement,
    /// What an iteration may do.
    Rules,
    /// The project's own checks.
    Tests,
    /// The fresh-context review.
    SpecReview,
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Implement => "implement",
            Self::Rules => "rules",
            Self::Tests => "tests",
            Self::SpecReview => "spec-review",
        })
    }
}

/// What the next attempt gets because the ones before it failed alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// It is told to try something else.
    StrategyShift,
    /// It is given the files that the error names.
    ContextExpansion,
}

/// A story that the run gave up, for a person to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenUp {
    pub given_up_at: DateTime<Utc>,
    pub reason: GiveUpReason,
    pub attempts: u64,
    pub of: u64,
    /// Those it had.
    #[serde(default)]
    pub reviews: u64,
    pub last_gate: Gate,
    /// In a line.
    pub error: String,
    pub error_hash: String,
    pub stuck: Stuck,
    /// Where its work is; none if there was none.
    pub branch: Option<String>,
    /// The file on that branch that tells all outputs, beside the task list.
    #[serde(default)]
    pub diagnostics: Option<String>,
    pub commits: StoryCommits,
    /// Stories that wait for it.
    pub dependants: Vec<StoryId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GiveUpReason {
    AttemptsUsed,
    /// The same failure again and again, whatever was tried.
    Stuck,
    /// The last review that it may have would have to approve it.
    ReviewCap,
    /// Its user does not want it now.
    Skipped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Stuck {
    No,
    Yes {
        /// The same failure in a row.
        repeats: u64,
        #[serde(rename = "strategyShifts")]
        strategy_shifts: u64,
    },
}

/// What became of the story's commits on the run's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum StoryCommits {
    /// There were none.
    Nothing,
    /// The branch is where the story began.
    Rewound,
    /// Undone by a commit, because others' commits are among them or somebody else has them.
    #[serde(alias = "undone")]
    Reverted {
        commit: String,
        #[serde(default)]
        checks: ChecksWithout,
    },
    /// Later work builds on them: they stay.
    #[serde(alias = "stays")]
    Kept { conflicts: Vec<String> },
}

/// What the project's checks say without the work of a story that was undone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ChecksWithout {
    Passed,
    Failed {
        /// The first that did.
        command: String,
        /// In a line.
        error: String,
        /// Stories that were approved since the one that was undone began, and may rest on it.
        approved: Vec<StoryId>,
    },
    /// There are none, or the run was stopped or cut off before they had spoken.
    #[default]
    NotRun,
}

/// What has a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timed {
    Run,
    /// A session that implements or fixes.
    Implement,
    Review,
    Check,
    Quality,
    /// A session that compacts what earlier ones left.
    Memory,
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "the run",
            Self::Implement => "the session",
            Self::Review => "the review",
            Self::Check => "the check",
            Self::Quality => "the quality check",
            Self::Memory => "the compaction",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QualityOutcome {
    Checked,
    TimedOut,
    /// The agent failed, or gave an answer that cannot be read.
    Failed,
    Stopped,
}

/// Tests of one file that an iteration deleted, skipped or loosened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeakenedTests {
    pub path: String,
    /// A line each.
    pub findings: Vec<String>,
}

/// A story that cannot be begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStory {
    pub story: StoryId,
    /// Stories that do not pass.
    pub waits_for: Vec<StoryId>,
}

impl WaitingStory {
    /// None if it waits for nobody.
    pub(crate) fn of(blocked: &BlockedStory) -> Option<Self> {
        match &blocked.waiting {
            Waiting::For(ids) => {
                Some(Self { story: blocked.story.clone(), waits_for: ids.clone() })
            }
            Waiting::GivenUp | Waiting::OutOfSync => None,
        }
    }
}
