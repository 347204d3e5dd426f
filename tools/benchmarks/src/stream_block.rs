//! Stream lines in the mix of a real session: text, tool calls, and tool results, which are most of
//! the bytes.

use serde_json::{Value, json};

/// Sizes of tool results in turn; sometimes a whole file.
const RESULTS: [usize; 8] = [200, 1_500, 400, 9_000, 80, 3_000, 600, 30_000];

/// Bytes per write.
const SIZE: usize = 1 << 20;

/// About a megabyte, in whole lines.
pub(crate) fn of_work() -> String {
    let mut block = String::new();
    for turn in 0.. {
        if block.len() >= SIZE {
            break;
        }
        let id = format!("toolu_{turn:024}");
        let text = "I will look at the file and then change it. ".repeat(5);
        let file = format!("/home/someone/project/src/part_{turn}.rs");
        let input = json!({"file_path": file});
        push(&mut block, &assistant(turn, &json!({"type": "text", "text": text})));
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": input});
        push(&mut block, &assistant(turn, &call));
        push(&mut block, &tool_result(&id, RESULTS[turn % RESULTS.len()]));
    }
    block
}

/// The same size of agent text only, which the runner prints and records.
pub(crate) fn of_words() -> String {
    let text = "The total on the page is the sum of the rows, and now it is tested. ".repeat(15);
    let line = assistant(0, &json!({"type": "text", "text": text}));
    let mut block = String::new();
    while block.len() < SIZE {
        push(&mut block, &line);
    }
    block
}

fn push(block: &mut String, line: &str) {
    block.push_str(line);
    block.push('\n');
}

/// Claude Code writes the type first.
fn line(kind: &str, message: &Value, more: &str) -> String {
    format!(
        r#"{{"type":"{kind}","message":{message},"parent_tool_use_id":null,"session_id":"0f8ff3a5-0d0b-4f4e-8f0e-6f5d7d1f5d52","uuid":"d6f9f9a0-98a1-4b34-8a31-8a4f0f2f9b77","timestamp":"2026-01-01T12:00:00.000Z"{more}}}"#
    )
}

fn assistant(turn: usize, content: &Value) -> String {
    let message = json!({
        "id": format!("msg_{turn:024}"),
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [content],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {"input_tokens": 4, "cache_creation_input_tokens": 2_000 + turn,
                  "cache_read_input_tokens": 18_000, "output_tokens": 200},
    });
    line("assistant", &message, "")
}

/// The text occurs twice, as in real streams.
fn tool_result(id: &str, size: usize) -> String {
    let text = "let answer = \"forty-two\"; // why\n".repeat(size / 72 + 1);
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": &text}]);
    let message = json!({"role": "user", "content": content});
    let result = json!({"type": "text", "file": {"content": text}});
    line("user", &message, &format!(r#","tool_use_result":{result}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_lines_of_json_with_their_type_first() {
        for block in [of_work(), of_words()] {
            assert!(block.len() >= SIZE && block.ends_with('\n'));
            for line in block.lines() {
                assert!(line.starts_with(r#"{"type":""#), "{line:.80}");
                serde_json::from_str::<Value>(line).unwrap();
            }
        }
    }
}
