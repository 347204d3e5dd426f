//! The final answer of a simulated session.

use serde_json::Value;

/// The final answer of the agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FinalAnswer {
    Text(String),
    Structured(Value),
    Empty,
}
