//! A turn in the format of OpenAI's Responses API, as a stream of events.
//!
//! Pure: no socket and no clock. Which turn is due is decided elsewhere.

use serde_json::{Value, json};
use uuid::Uuid;

use super::sse;
use crate::script::{DEFAULT_CONTEXT_TOKENS, ToolCall, Turn};

/// The longest time that Codex waits for a command before it continues without its result.
const PATIENCE_MS: u64 = 30_000;

/// The answer as server-sent events.
pub(super) fn events(turn: &Turn) -> String {
    // Random, because a thread identifies the calls of all its answers by id.
    let id = Uuid::new_v4().simple().to_string();
    let mut events = vec![json!({ "type": "response.created", "response": { "id": id } })];
    for (index, item) in items(turn, &id).into_iter().enumerate() {
        for kind in ["response.output_item.added", "response.output_item.done"] {
            events.push(json!({ "type": kind, "output_index": index, "item": item }));
        }
    }
    let response = json!({ "id": id, "usage": usage(turn) });
    events.push(json!({ "type": "response.completed", "response": response }));
    events.iter().map(sse).collect()
}

fn items(turn: &Turn, id: &str) -> Vec<Value> {
    let text = turn.text.iter().map(|text| {
        json!({
            "type": "message",
            "id": format!("msg_{id}"),
            "role": "assistant",
            "content": [{ "type": "output_text", "text": text }],
        })
    });
    let tools = turn.tools.iter().enumerate().map(|(index, tool)| {
        let (name, arguments) = call(tool);
        json!({
            "type": "function_call",
            "id": format!("fc_{id}_{index}"),
            "call_id": format!("call_{id}_{index}"),
            "name": name,
            "arguments": arguments.to_string(),
        })
    });
    text.chain(tools).collect()
}

/// Codex has another name for the shell command; other tools keep the name of the script.
fn call(tool: &ToolCall) -> (&str, Value) {
    match tool.name.as_str() {
        "Bash" => {
            let arguments = json!({ "cmd": tool.input["command"], "yield_time_ms": PATIENCE_MS });
            ("exec_command", arguments)
        }
        name => (name, tool.input.clone()),
    }
}

/// No part is zero, so that a reader that omits or repeats one gets a wrong sum.
fn usage(turn: &Turn) -> Value {
    let input = turn.context_tokens.unwrap_or(DEFAULT_CONTEXT_TOKENS);
    let (output, reasoning) = (20, 5);
    json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": input / 2 },
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": reasoning },
        "total_tokens": input + output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(turn: &Turn) -> Vec<Value> {
        let stream = events(turn);
        let events = stream.split_terminator("\n\n").map(|event| {
            let (name, data) = event.split_once("\ndata: ").unwrap();
            let data: Value = serde_json::from_str(data).unwrap();
            assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
            data
        });
        events.collect()
    }

    fn done(turn: &Turn) -> Vec<Value> {
        let events = parsed(turn);
        let done = events.into_iter().filter(|event| event["type"] == "response.output_item.done");
        done.map(|event| event["item"].clone()).collect()
    }

    #[test]
    fn an_answer_begins_and_ends_as_codex_expects() {
        let events = parsed(&Turn::text("Line one\n\nand \"two\"."));
        let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            [
                "response.created",
                "response.output_item.added",
                "response.output_item.done",
                "response.completed"
            ]
        );
        assert_eq!(events[2]["item"]["content"][0]["text"], "Line one\n\nand \"two\".");
        let usage = &events[3]["response"]["usage"];
        assert_eq!(usage["input_tokens"], DEFAULT_CONTEXT_TOKENS);
        assert_eq!(usage["total_tokens"], DEFAULT_CONTEXT_TOKENS + 20);
    }

    #[test]
    fn a_shell_command_is_called_by_the_name_it_has_in_codex() {
        let turn = Turn::bash("true").and_tool("view_image", json!({ "path": "a.png" }));
        let items = done(&turn.with_lead_in("Both."));
        assert_eq!(items.len(), 3);
        assert_eq!(items[1]["name"], "exec_command");
        let arguments: Value =
            serde_json::from_str(items[1]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments["cmd"], "true");
        assert_eq!(items[2]["name"], "view_image");
        assert_eq!(items[2]["arguments"], r#"{"path":"a.png"}"#);
        assert_ne!(items[1]["call_id"], items[2]["call_id"]);
    }

    #[test]
    fn no_two_answers_share_an_id() {
        let turn = Turn::bash("true");
        assert_ne!(done(&turn)[0]["call_id"], done(&turn)[0]["call_id"]);
    }
}
