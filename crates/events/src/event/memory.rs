//! Parts of events about prompt contents, handoffs and their compaction.

use serde::{Deserialize, Serialize};

/// One part of a prompt, and how much of it fitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextPart {
    pub part: String,
    pub tokens: u64,
    /// Tokens of the complete part.
    pub wanted_tokens: u64,
    /// Tokens below which it is cut last; `None` if it is never cut.
    pub allotted_tokens: Option<u64>,
    /// Items that did not fit.
    pub left_out: u64,
}

/// Who wrote a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum HandoffSource {
    #[strum(to_string = "the agent")]
    Agent,
    /// The agent, but parts are missing or invalid.
    #[serde(alias = "mended")]
    #[strum(to_string = "the agent, in parts")]
    Repaired,
    /// The runner, from the agent's last message and git.
    #[strum(to_string = "the runner")]
    Runner,
}

/// Whether an iteration reports its work as complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum HandoffClaim {
    Complete,
    Partial,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CompactionReason {
    Docs,
    Bytes,
    Interval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionOutcome {
    Compacted,
    /// Tried again later; no handoff is lost.
    Failed,
    /// The user stopped the run.
    Stopped,
}
