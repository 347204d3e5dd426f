//! The result of a session as the agent reports it. A process that ends without one was killed or crashed.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::raw::Object;

#[derive(Debug, Clone, PartialEq)]
pub struct AgentResult {
    pub ending: Ending,
    /// The final message; empty if there is none.
    pub text: String,
    /// For the whole session including subagents, like `tokens`.
    pub cost_usd: Option<f64>,
    pub tokens: TokenCount,
    pub turns: Option<u64>,
    pub duration: Option<Duration>,
    pub context_window: Option<u64>,
    pub model: Option<String>,
    pub session_id: Option<String>,
    /// The structured answer, if one was requested and given.
    pub structured: Option<Value>,
}

impl AgentResult {
    /// The result of an agent that only reports its final message.
    pub(crate) fn of(ending: Ending, text: String) -> Self {
        Self {
            ending,
            text,
            cost_usd: None,
            tokens: TokenCount::default(),
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
    /// The agent finished its answer.
    Completed,
    /// The maximum number of turns was reached.
    TurnLimit,
    /// The maximum cost of the session was reached.
    BudgetExhausted,
    /// The account is used up until this time (unix seconds).
    UsageLimit { resets_at: Option<u64> },
    /// The prompt or the context does not fit the model.
    PromptTooLong,
    /// A structured answer was requested, but not given.
    NoStructuredAnswer,
    /// The model could not be reached or refused the call.
    ApiError { status: Option<u16>, message: String },
    /// Any other reason, in the words of the agent.
    Other { reason: String, message: String },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCount {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_creation: u64,
}

impl TokenCount {
    /// From fields with the names of input, output, and tokens read from and written to the cache.
    pub(crate) fn read(usage: &Object<'_>, names: [&str; 4]) -> Self {
        let [input, output, cache_read, cache_creation] = names.map(|name| usage[name].count());
        Self { input, output, cache_read, cache_creation }
    }

    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
    }

    pub fn total(self) -> u64 {
        let counts = [self.input, self.output, self.cache_read, self.cache_creation];
        counts.into_iter().fold(0, u64::saturating_add)
    }
}
