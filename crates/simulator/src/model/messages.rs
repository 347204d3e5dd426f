//! A turn in the format of the Anthropic API: one JSON message, or a stream of events.
//!
//! Pure: no socket and no clock. Which turn is due is decided elsewhere.

use serde_json::{Value, json};
use uuid::Uuid;

use super::sse;
use crate::script::{DEFAULT_CONTEXT_TOKENS, Turn};

/// Output tokens of every answer; tests only use the context.
const OUTPUT_TOKENS: u64 = 20;

/// A turn with its message and tool-call ids.
#[derive(Debug)]
pub(super) struct Reply<'a> {
    turn: &'a Turn,
    model: &'a str,
    /// Random, because a resumed session has ids of an earlier server in its transcript, and
    /// readers identify messages by id.
    id: Uuid,
}

impl<'a> Reply<'a> {
    pub(super) fn new(turn: &'a Turn, model: &'a str) -> Self {
        let id = Uuid::new_v4();
        Self { turn, model, id }
    }

    /// The answer to a request without streaming.
    pub(super) fn message(&self) -> Value {
        let mut message = self.envelope(OUTPUT_TOKENS);
        message["content"] = self.blocks().into();
        message["stop_reason"] = self.stop_reason().into();
        message
    }

    /// The answer as server-sent events.
    pub(super) fn events(&self) -> String {
        let mut stream = String::new();
        let mut send = |event: Value| stream.push_str(&sse(&event));
        send(json!({ "type": "message_start", "message": self.envelope(1) }));
        for (index, block) in self.blocks().into_iter().enumerate() {
            let (start, delta) = start_and_delta(block);
            send(json!({ "type": "content_block_start", "index": index, "content_block": start }));
            send(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
            send(json!({ "type": "content_block_stop", "index": index }));
        }
        send(json!({
            "type": "message_delta",
            "delta": { "stop_reason": self.stop_reason(), "stop_sequence": null },
            "usage": { "output_tokens": OUTPUT_TOKENS },
        }));
        send(json!({ "type": "message_stop" }));
        stream
    }

    fn envelope(&self, output_tokens: u64) -> Value {
        // All three parts are above zero, so that a reader that omits one gets a wrong sum.
        let context = self.turn.context_tokens.unwrap_or(DEFAULT_CONTEXT_TOKENS);
        let (read, created) = (context / 2, context / 10);
        json!({
            "id": format!("msg_{}", self.id.simple()),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": context - read - created,
                "cache_read_input_tokens": read,
                "cache_creation_input_tokens": created,
                "output_tokens": output_tokens,
            },
        })
    }

    fn blocks(&self) -> Vec<Value> {
        let text = self.turn.text.iter();
        let text = text.map(|text| json!({ "type": "text", "text": text }));
        let tools = self.turn.tools.iter().enumerate();
        let tools = tools.map(|(index, tool)| {
            json!({
                "type": "tool_use",
                "id": format!("toolu_{}_{index}", self.id.simple()),
                "name": tool.name,
                "input": tool.input,
            })
        });
        text.chain(tools).collect()
    }

    fn stop_reason(&self) -> &'static str {
        if self.turn.tools.is_empty() { "end_turn" } else { "tool_use" }
    }
}

/// In a stream a block starts empty; its contents follow as a delta.
fn start_and_delta(mut block: Value) -> (Value, Value) {
    if block["type"] == "tool_use" {
        let input = std::mem::replace(&mut block["input"], json!({}));
        let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
        (block, delta)
    } else {
        let text = std::mem::replace(&mut block["text"], "".into());
        (block, json!({ "type": "text_delta", "text": text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(turn: &Turn) -> Vec<Value> {
        let stream = Reply::new(turn, "claude-test").events();
        let events = stream.split_terminator("\n\n").map(|event| {
            let (name, data) = event.split_once("\ndata: ").unwrap();
            let data: Value = serde_json::from_str(data).unwrap();
            assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
            data
        });
        events.collect()
    }

    #[test]
    fn a_text_streams_as_one_block() {
        let events = events(&Turn::text("Line one\n\nand \"two\"."));
        let kinds: Vec<_> = events.iter().map(|e| e["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            [
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop"
            ]
        );
        assert_eq!(events[0]["message"]["model"], "claude-test");
        assert_eq!(events[1]["content_block"]["text"], "");
        assert_eq!(events[2]["delta"]["text"], "Line one\n\nand \"two\".");
        assert_eq!(events[4]["delta"]["stop_reason"], "end_turn");
    }

    #[test]
    fn tool_calls_stream_their_input_as_json_text() {
        let turn = Turn::bash("true")
            .and_tool("Bash", json!({ "command": "false" }))
            .with_lead_in("Both.");
        let events = events(&turn);
        let blocks: Vec<_> = events
            .iter()
            .filter(|e| e["type"] == "content_block_start")
            .map(|e| &e["content_block"])
            .collect();
        assert_eq!(blocks.len(), 3);
        assert_eq!(blocks[1]["input"], json!({}));
        assert_ne!(blocks[1]["id"], blocks[2]["id"]);
        let last = events.iter().rfind(|e| e["type"] == "content_block_delta");
        let input = last.unwrap()["delta"]["partial_json"].as_str().unwrap();
        let input: Value = serde_json::from_str(input).unwrap();
        assert_eq!(input, turn.tools[1].input);
        assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
    }

    #[test]
    fn the_reported_context_adds_up() {
        for (turn, expected) in [
            (Turn::text("a"), DEFAULT_CONTEXT_TOKENS),
            (Turn::text("a").with_context_tokens(123_457), 123_457),
            (Turn::text("a").with_context_tokens(0), 0),
        ] {
            let message = Reply::new(&turn, "claude-test").message();
            let usage = |name: &str| message["usage"][name].as_u64().unwrap();
            let sum = usage("input_tokens")
                + usage("cache_read_input_tokens")
                + usage("cache_creation_input_tokens");
            assert_eq!(sum, expected);
        }
    }

    #[test]
    fn a_whole_message_holds_what_the_stream_would() {
        let turn = Turn::bash("true").with_lead_in("Working.");
        let message = Reply::new(&turn, "claude-test").message();
        assert_eq!(message["content"][0]["text"], "Working.");
        assert_eq!(message["content"][1]["input"], turn.tools[0].input);
        assert_eq!(message["stop_reason"], "tool_use");
    }
}
