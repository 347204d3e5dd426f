//! The parts of events about what iterations leave for one another, and about undoing one whole.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One part of a prompt, and what of it fitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextPart {
    pub part: String,
    pub tokens: u64,
    /// What it would have taken whole.
    pub wanted_tokens: u64,
    /// What it is not cut below while others can give way; none if it is never cut.
    #[serde(default)]
    pub allotted_tokens: Option<u64>,
    /// Items that did not fit.
    pub left_out: u64,
}

/// Who wrote a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandoffSource {
    Agent,
    /// The agent, with parts missing or of no use.
    #[serde(alias = "mended")]
    Repaired,
    /// The runner, from the agent's words and git.
    Runner,
}

/// What an iteration says of its own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandoffClaim {
    Complete,
    Partial,
}

/// Why handoffs are compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionReason {
    Docs,
    Bytes,
    Interval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionOutcome {
    Compacted,
    /// Tried again later; nothing is lost.
    Failed,
    /// The user stopped the run.
    Stopped,
}

impl fmt::Display for HandoffSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent => "the agent",
            Self::Repaired => "the agent, in parts",
            Self::Runner => "the runner",
        })
    }
}
