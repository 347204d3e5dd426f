//! The reported use of a session: turns, tokens, cost.

use serde_json::{Value, json};

/// Values of the recorded streams.
const INPUT: u64 = 1000;
const CACHE_READ: u64 = 500;
const CACHE_CREATION: u64 = 200;
const OUTPUT: u64 = 20;
const USD_PER_TURN: f64 = 0.0055;
const WINDOW: u64 = 1_000_000;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) turns: u64,
    input: u64,
    cache_read: u64,
    cache_creation: u64,
    pub(super) claimed_usd: Option<f64>,
    context: Option<u64>,
    window: Option<u64>,
}

impl Tally {
    pub(super) fn claim_context(&mut self, tokens: u64, window: Option<u64>) {
        self.context = Some(tokens);
        self.window = window.or(self.window);
    }

    pub(super) fn usd(&self) -> f64 {
        self.claimed_usd.unwrap_or(self.turns as f64 * USD_PER_TURN)
    }

    /// One more answer of the model.
    pub(super) fn count_turn(&mut self) {
        let (input, cache_read, cache_creation) = self.next_input();
        self.turns += 1;
        self.input += input;
        self.cache_read += cache_read;
        self.cache_creation += cache_creation;
    }

    /// The `usage` of one answer. A stream shows it while the output is still being counted.
    pub(super) fn message_usage(&self) -> Value {
        let (input, cache_read, cache_creation) = self.next_input();
        json!({
            "input_tokens": input, "output_tokens": 1,
            "cache_read_input_tokens": cache_read, "cache_creation_input_tokens": cache_creation,
        })
    }

    /// The `usage` of the result line.
    pub(super) fn usage(&self) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output(),
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": "", "iterations": [], "speed": "standard", "fallback_credit": null,
        })
    }

    /// The `modelUsage` of the result line: empty if no model answered.
    pub(super) fn model_usage(&self, model: &str) -> Value {
        if self.turns == 0 {
            return json!({});
        }
        json!({ model: {
            "inputTokens": self.input, "outputTokens": self.output(),
            "cacheReadInputTokens": self.cache_read,
            "cacheCreationInputTokens": self.cache_creation,
            "webSearchRequests": 0, "costUSD": self.usd(), "contextWindow": self.window.unwrap_or(WINDOW),
            "maxOutputTokens": 128_000, "thinkingTokens": 0,
            "cacheCreationEphemeral5mInputTokens": 0, "cacheCreationEphemeral1hInputTokens": 0,
            "canonicalModel": model, "provider": "firstParty", "costBasis": "list",
        }})
    }

    fn output(&self) -> u64 {
        self.turns * OUTPUT
    }

    /// Input tokens of the next answer, so that they add up to the reported context.
    fn next_input(&self) -> (u64, u64, u64) {
        match self.context {
            Some(tokens) => (tokens.saturating_sub(1), 0, 0),
            None => (INPUT, CACHE_READ, CACHE_CREATION),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_add_up() {
        let mut tally = Tally::default();
        assert_eq!(tally.model_usage("m"), json!({}));
        tally.count_turn();
        tally.count_turn();
        assert_eq!(tally.usage()["input_tokens"], 2000);
        assert_eq!(tally.model_usage("m")["m"]["outputTokens"], 40);
        assert_eq!(tally.usd(), 0.011);
        tally.claimed_usd = Some(3.5);
        assert_eq!(tally.model_usage("m")["m"]["costUSD"], 3.5);
    }

    #[test]
    fn the_reported_context_is_the_sum_of_the_usage() {
        let mut tally = Tally::default();
        tally.claim_context(180_000, Some(200_000));
        let usage = tally.message_usage();
        let sum: u64 = usage.as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(sum, 180_000);
        tally.count_turn();
        assert_eq!(tally.model_usage("m")["m"]["contextWindow"], 200_000);
    }
}
