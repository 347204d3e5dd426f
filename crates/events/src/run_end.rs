//! How a run ends, with its exit code.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every story passes and was approved; in a prompt loop, the agent reported it and the guardrails pass.
    Complete,
    /// The iteration limit was reached.
    IterationsUsed,
    /// Open stories exist, but none can be worked on.
    Blocked,
    /// Everything is done except failed stories and those that depend on them.
    StoriesFailed,
    /// The time limit of the run was reached.
    TimeUsed,
    /// The plan to build from is missing.
    PlanMissing,
    /// The cost limit was reached.
    CostCeiling,
    /// The quota limit was reached, or the quota itself and the run is not to wait.
    QuotaCeiling,
    /// The agent failed after all retries.
    AgentFailed,
    /// Too many reviews in a row without a valid verdict.
    ReviewerFailed,
    /// Processes of a session or a check could not be ended.
    ProcessesLeft,
    /// git failed where the run cannot continue without it.
    GitFailed,
    /// The disk failed where the run cannot continue without it.
    DiskFailed,
    /// The user ordered a stop.
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

    /// Whether the next run resumes this one with its counters by default.
    pub fn resumes_automatically(self) -> bool {
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
            Self::IterationsUsed => "iteration limit reached",
            Self::Blocked => "blocked",
            Self::StoriesFailed => "stories failed",
            Self::TimeUsed => "time limit reached",
            Self::PlanMissing => "no plan",
            Self::CostCeiling => "cost limit reached",
            Self::QuotaCeiling => "usage limit reached",
            Self::AgentFailed => "the agent failed",
            Self::ReviewerFailed => "the reviewer failed",
            Self::ProcessesLeft => "processes could not be ended",
            Self::GitFailed => "git failed",
            Self::DiskFailed => "the disk failed",
            Self::Stopped => "stopped by the user",
            Self::Interrupted => "interrupted",
            Self::Terminated => "terminated",
            Self::HungUp => "the terminal was closed",
        })
    }
}
