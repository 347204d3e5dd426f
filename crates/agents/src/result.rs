//! How an agent's work ended, in its own account of it.
//!
//! A process that ends without one was killed or crashed: that is for its caller to see.

use std::time::Duration;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct AgentResult {
    pub ending: Ending,
    /// The final message; empty if there was none.
    pub text: String,
    /// Of the whole session so far, subagents included, as is `tokens`.
    pub cost_usd: Option<f64>,
    pub tokens: Tokens,
    pub turns: Option<u64>,
    pub duration: Option<Duration>,
    pub context_window: Option<u64>,
    pub model: Option<String>,
    pub session_id: Option<String>,
    /// The answer in the shape that was asked for, if it was given.
    pub structured: Option<Value>,
}

impl AgentResult {
    /// Of an agent that reports nothing but its final message.
    pub(crate) fn of(ending: Ending, text: String) -> Self {
        Self {
            ending,
            text,
            cost_usd: None,
            tokens: Tokens::default(),
            turns: None,
            duration: None,
            context_window: None,
            model: None,
            session_id: None,
            structured: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Completed,
    TurnLimit,
    BudgetExhausted,
    /// The account is used up until then (unix seconds).
    UsageLimit {
        resets_at: Option<u64>,
    },
    PromptTooLong,
    /// It was asked for an answer of a certain shape and did not manage to give one.
    NoStructuredAnswer,
    ApiError {
        status: Option<u16>,
        message: String,
    },
    Other {
        reason: String,
        message: String,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_creation: u64,
}

impl Tokens {
    pub fn total(self) -> u64 {
        self.input
            .saturating_add(self.output)
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_creation)
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_creation: self.cache_creation.saturating_add(other.cache_creation),
        }
    }
}
