//! Session transcripts of any size in the format of Claude Code: JSON lines of users, assistants,
//! tools and the system, with usage on the assistant's lines.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// Bytes of the last tool result, which follows the assistant line that counts.
pub(crate) const LAST_RESULT: usize = 20_000;

/// Sizes of tool results in turn; sometimes a whole file.
const RESULTS: [usize; 8] = [200, 1_500, 400, 9_000, 80, 3_000, 600, 150_000];

/// Writes at least `size` bytes; the last assistant line reports `tokens`.
pub(crate) fn write(path: &Path, size: usize, tokens: u64) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let mut turn = 0;
    let mut line = |entry: Value| -> io::Result<usize> {
        let mut text = serde_json::to_vec(&entry)?;
        text.push(b'\n');
        file.write_all(&text)?;
        Ok(text.len())
    };
    written += line(user(json!("Work on the next story of ralph/tasks.json.")))?;
    while written < size.saturating_sub(LAST_RESULT) {
        written += line(assistant(turn, 2_000 + turn as u64 % 10_000))?;
        written += line(tool_result(RESULTS[turn % RESULTS.len()]))?;
        if turn % 10 == 9 {
            written += line(system(turn))?;
            // The context of a subagent does not count.
            written += line(sidechain(assistant(turn, 190_000)))?;
        }
        turn += 1;
    }
    line(assistant(turn, tokens))?;
    line(tool_result(LAST_RESULT))?;
    file.flush()
}

fn entry(kind: &str, message: Value) -> Value {
    json!({
        "parentUuid": "5b0c3e4e-5f1e-4d7c-9d51-3f6b1c1f7a10",
        "isSidechain": false,
        "userType": "external",
        "cwd": "/home/someone/project",
        "sessionId": "0f8ff3a5-0d0b-4f4e-8f0e-6f5d7d1f5d52",
        "version": "2.1.325",
        "gitBranch": "feature",
        "type": kind,
        "message": message,
        "uuid": "d6f9f9a0-98a1-4b34-8a31-8a4f0f2f9b77",
        "timestamp": "2026-01-01T12:00:00.000Z",
    })
}

fn user(content: Value) -> Value {
    entry("user", json!({"role": "user", "content": content}))
}

fn assistant(turn: usize, tokens: u64) -> Value {
    let message = json!({
        "id": format!("msg_{turn:024}"),
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [
            {"type": "text", "text": "I will look at the file and then change it. ".repeat(5)},
            {"type": "tool_use", "id": format!("toolu_{turn:024}"), "name": "Read",
             "input": {"file_path": "/home/someone/project/src/lib.rs"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": null,
        "usage": {
            "input_tokens": 4,
            "cache_creation_input_tokens": tokens / 10,
            "cache_read_input_tokens": tokens - tokens / 10 - 4 - tokens / 100,
            "output_tokens": tokens / 100,
            "service_tier": "standard",
        },
    });
    entry("assistant", message)
}

/// The text occurs twice, as in real transcripts.
fn tool_result(size: usize) -> Value {
    let text = "let answer = \"forty-two\"; // why\n".repeat(size / 72 + 1);
    let content = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": &text}]);
    let mut result = user(content);
    result["toolUseResult"] = json!({"type": "text", "file": {"content": text}});
    result
}

fn system(turn: usize) -> Value {
    let mut note = entry("system", Value::Null);
    note["subtype"] = json!("turn_duration");
    note["durationMs"] = json!(turn);
    note
}

fn sidechain(mut entry: Value) -> Value {
    entry["isSidechain"] = json!(true);
    entry
}
