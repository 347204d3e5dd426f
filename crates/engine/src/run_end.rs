//! How a run ends, and the exit code that says so.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every story passes and was approved; a prompt loop: the agent said so and the guardrails pass.
    Complete,
    /// The iterations are used up.
    IterationsUsed,
    /// Stories are left, and none can be worked on.
    Blocked,
    /// All is done but the stories that failed, and those that wait for them.
    StoriesFailed,
    /// The run has worked for as long as it may.
    TimeUsed,
    /// There is no plan to build from.
    PlanMissing,
    /// The ceiling on the cost was reached.
    CostCeiling,
    /// The ceiling on the quota was reached, or the quota itself and the run is not to wait.
    QuotaCeiling,
    /// The agent failed past its retries.
    AgentFailed,
    /// Too many reviews in a row gave no verdict that counts.
    ReviewerFailed,
    /// What a session or a check left running could not be ended.
    ProcessesLeft,
    /// git failed where the run cannot go on without it.
    GitFailed,
    /// The disk failed where the run cannot go on without it.
    DiskFailed,
    /// Its user told it to.
    Stopped,
    Interrupted,
    Terminated,
    HungUp,
}

impl RunEnd {
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::IterationsUsed
            | Self::Blocked
            | Self::StoriesFailed
            | Self::TimeUsed
            | Self::Stopped
            | Self::DiskFailed => 1,
            Self::PlanMissing => 2,
            Self::CostCeiling | Self::QuotaCeiling => 3,
            Self::AgentFailed | Self::ReviewerFailed | Self::ProcessesLeft => 4,
            Self::GitFailed => 5,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::HungUp => 129,
        }
    }

    /// Whether the next run goes on with this one's counters without being told to.
    pub fn goes_on(self) -> bool {
        match self {
            Self::Stopped
            | Self::Interrupted
            | Self::Terminated
            | Self::HungUp
            | Self::DiskFailed
            | Self::GitFailed
            | Self::ProcessesLeft => true,
            Self::Complete
            | Self::IterationsUsed
            | Self::Blocked
            | Self::StoriesFailed
            | Self::TimeUsed
            | Self::PlanMissing
            | Self::CostCeiling
            | Self::QuotaCeiling
            | Self::AgentFailed
            | Self::ReviewerFailed => false,
        }
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Complete => "complete",
            Self::IterationsUsed => "iterations used up",
            Self::Blocked => "blocked",
            Self::StoriesFailed => "stories failed",
            Self::TimeUsed => "time used up",
            Self::PlanMissing => "no plan",
            Self::CostCeiling => "cost ceiling reached",
            Self::QuotaCeiling => "usage limit reached",
            Self::AgentFailed => "the agent failed",
            Self::ReviewerFailed => "the reviewer failed",
            Self::ProcessesLeft => "processes could not be ended",
            Self::GitFailed => "git failed",
            Self::DiskFailed => "the disk failed",
            Self::Stopped => "stopped by its user",
            Self::Interrupted => "interrupted",
            Self::Terminated => "terminated",
            Self::HungUp => "the terminal is gone",
        })
    }
}
