//! How a run ends, with its exit code.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every story passes and was approved; in a prompt loop, the agent reported it and the guardrails pass.
    #[strum(to_string = "complete")]
    Complete,
    /// The iteration limit was reached.
    #[strum(to_string = "iteration limit reached")]
    IterationsUsed,
    /// Open stories exist, but none can be worked on.
    #[strum(to_string = "blocked")]
    Blocked,
    /// Everything is done except failed stories and those that depend on them.
    #[strum(to_string = "stories failed")]
    StoriesFailed,
    /// Everything is done except stories that wait for an answer, failed ones, and those that depend on them.
    #[strum(to_string = "waiting for answers")]
    QuestionsOpen,
    /// The time limit of the run was reached.
    #[strum(to_string = "time limit reached")]
    TimeUsed,
    /// The plan to build from is missing.
    #[strum(to_string = "no plan")]
    PlanMissing,
    /// Checks fail before the first session, and the user wants them to pass.
    #[strum(to_string = "checks fail without the work of the run")]
    BaseFails,
    /// The cost limit was reached.
    #[strum(to_string = "cost limit reached")]
    CostCeiling,
    /// The quota limit was reached, or the quota itself and the run is not to wait.
    #[strum(to_string = "usage limit reached")]
    QuotaCeiling,
    /// The agent failed after all retries.
    #[strum(to_string = "the agent failed")]
    AgentFailed,
    /// Too many reviews in a row without a valid verdict.
    #[strum(to_string = "the reviewer failed")]
    ReviewerFailed,
    /// Processes of a session or a check could not be ended.
    #[strum(to_string = "processes could not be ended")]
    ProcessesLeft,
    /// git failed where the run cannot continue without it.
    #[strum(to_string = "git failed")]
    GitFailed,
    /// The disk failed where the run cannot continue without it.
    #[strum(to_string = "the disk failed")]
    DiskFailed,
    /// The user ordered a stop.
    #[strum(to_string = "stopped by the user")]
    Stopped,
    #[strum(to_string = "interrupted")]
    Interrupted,
    #[strum(to_string = "terminated")]
    Terminated,
    #[strum(to_string = "the terminal was closed")]
    HungUp,
}

impl RunEnd {
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::IterationsUsed
            | Self::Blocked
            | Self::StoriesFailed
            | Self::QuestionsOpen
            | Self::TimeUsed
            | Self::Stopped
            | Self::DiskFailed => 1,
            Self::PlanMissing | Self::BaseFails => 2,
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
        matches!(
            self,
            Self::Stopped
                | Self::QuestionsOpen
                | Self::Interrupted
                | Self::Terminated
                | Self::HungUp
                | Self::DiskFailed
                | Self::GitFailed
                | Self::ProcessesLeft
        )
    }
}
