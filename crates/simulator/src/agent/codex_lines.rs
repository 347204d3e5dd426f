//! The output of `codex exec --json`: a thread, one turn, and its items, as in recorded streams.
//!
//! Codex reports neither hooks nor cost, and an interrupt ends it without a last line.

use std::io;

use serde_json::{Value, json};

use super::ending::{ApiFailure, Ending};
use super::message::Message;
use super::stream::{Dialect, uuid, with};
use super::tally::Tally;
use super::tool::{ToolOutcome, ToolUse};

#[derive(Debug, Default)]
pub(super) struct CodexLines {
    items: u64,
    /// The number of the tool call that runs.
    at_work: u64,
}

impl Dialect for CodexLines {
    fn lines(&mut self, message: &Message<'_>, tally: &mut Tally) -> io::Result<String> {
        Ok(match message {
            Message::Started { .. } => {
                let thread = json!({"type": "thread.started", "thread_id": uuid()});
                line(&thread) + &line(&json!({"type": "turn.started"}))
            }
            Message::Text(text) => {
                tally.count_turn();
                let id = self.next_item();
                item("item.completed", id, json!({"type": "agent_message", "text": text}))
            }
            Message::ToolUse(tool) => {
                tally.count_turn();
                self.at_work = self.next_item();
                item("item.started", self.at_work, with(shown(tool), in_progress(tool)))
            }
            Message::ToolResult(tool, outcome) => {
                item("item.completed", self.at_work, with(shown(tool), done(tool, outcome)))
            }
            Message::Retry { attempt, of, failure } => {
                let message = format!("Reconnecting... {attempt}/{of} ({})", in_words(failure));
                line(&json!({"type": "error", "message": message}))
            }
            Message::Failure(failure) => {
                line(&json!({"type": "error", "message": in_words(failure)}))
            }
            Message::Ended(ending) => last_line(ending, tally),
            Message::System(_)
            | Message::Hook(_)
            | Message::Limit(_)
            | Message::Synthetic(_)
            | Message::Interrupted => String::new(),
        })
    }

    fn line_of_text(&self, text: &str, _tally: &Tally) -> String {
        item("item.completed", self.items, json!({"type": "agent_message", "text": text}))
    }

    fn exit_code(&self, ending: &Ending) -> u8 {
        match ending {
            Ending::Interrupted { .. } => 1,
            other => other.exit_code(),
        }
    }
}

impl CodexLines {
    fn next_item(&mut self) -> u64 {
        self.items += 1;
        self.items
    }
}

fn line(body: &Value) -> String {
    format!("{body}\n")
}

fn item(kind: &str, id: u64, body: Value) -> String {
    let item = with(json!({"id": format!("item_{id}")}), body);
    line(&json!({"type": kind, "item": item}))
}

/// A tool call of Codex: commands read files, patches change them.
fn shown(tool: &ToolUse) -> Value {
    let command = |script: &str| {
        let command = format!("/bin/bash -lc '{}'", script.replace('\'', r"'\''"));
        json!({"type": "command_execution", "command": command})
    };
    let path = tool.input["file_path"].as_str().unwrap_or_default();
    let change =
        |kind: &str| json!({"type": "file_change", "changes": [{"path": path, "kind": kind}]});
    match tool.name {
        "Write" => change("add"),
        "Edit" => change("update"),
        "Read" => command(&format!("cat {path}")),
        "TodoWrite" => {
            let todos = tool.input["todos"].as_array().into_iter().flatten();
            let steps = todos.map(|todo| json!({"text": todo["content"], "completed": false}));
            json!({"type": "todo_list", "items": steps.collect::<Vec<_>>()})
        }
        _ => command(tool.input["command"].as_str().unwrap_or_default()),
    }
}

fn in_progress(tool: &ToolUse) -> Value {
    match tool.name {
        "TodoWrite" => json!({}),
        "Write" | "Edit" => json!({"status": "in_progress"}),
        _ => json!({"aggregated_output": "", "exit_code": null, "status": "in_progress"}),
    }
}

fn done(tool: &ToolUse, outcome: &ToolOutcome) -> Value {
    let (status, output, exit_code) = match outcome {
        ToolOutcome::Done { content, .. } => ("completed", content.as_str(), 0),
        ToolOutcome::Failed(message) | ToolOutcome::Denied(message) => {
            let (code, output) = error_code(message).unwrap_or((1, message.as_str()));
            ("failed", output, code)
        }
    };
    match tool.name {
        "TodoWrite" => json!({}),
        "Write" | "Edit" => json!({"status": status}),
        _ => json!({"aggregated_output": output, "exit_code": exit_code, "status": status}),
    }
}

/// The exit code at the start of a failed command's message, and the rest.
fn error_code(message: &str) -> Option<(i64, &str)> {
    let (code, output) = message.strip_prefix("Exit code ")?.split_once('\n')?;
    Some((code.parse().ok()?, output))
}

fn in_words(failure: &ApiFailure) -> String {
    match (failure.terminal_reason, failure.status) {
        ("prompt_too_long", _) => "Codex ran out of room in the model's context window. Start a \
                                   new thread or clear earlier history before retrying."
            .to_owned(),
        (_, 429) => failure.text.clone(),
        (_, status) => format!("unexpected status {status}: {}", failure.text),
    }
}

fn last_line(ending: &Ending, tally: &Tally) -> String {
    let failed =
        |message: &str| line(&json!({"type": "turn.failed", "error": {"message": message}}));
    match ending {
        Ending::Completed(_) | Ending::Answered(_) => {
            let usage = tally.usage();
            let count = |name: &str| usage[name].as_u64().unwrap_or(0);
            let (read, written) =
                (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
            line(&json!({"type": "turn.completed", "usage": {
                "input_tokens": count("input_tokens") + read + written,
                "cached_input_tokens": read, "cache_write_input_tokens": written,
                "output_tokens": count("output_tokens"), "reasoning_output_tokens": 0,
            }}))
        }
        Ending::Failed(failure) => failed(&in_words(failure)),
        // Codex has none of these limits, so the turn fails.
        Ending::TurnLimit(_) => failed("turn limit"),
        Ending::BudgetExhausted(_) => failed("budget exhausted"),
        Ending::AnswersUsedUp { .. } => failed("answers used up"),
        Ending::Interrupted { .. } | Ending::Crashed(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(lines: &mut CodexLines, message: &Message<'_>) -> Vec<Value> {
        let text = lines.lines(message, &mut Tally::default()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_command_is_an_item_that_starts_and_completes_under_one_name() {
        let mut lines = CodexLines::default();
        let tool = ToolUse::new("Bash", json!({"command": "echo 'a'; exit 3"}));
        let outcome = ToolOutcome::from_command(Some(3), "a\n");
        let started = printed(&mut lines, &Message::ToolUse(&tool));
        let ended = printed(&mut lines, &Message::ToolResult(&tool, &outcome));
        let command = r"/bin/bash -lc 'echo '\''a'\''; exit 3'";
        assert_eq!(
            started,
            [json!({"type": "item.started", "item": {
                "id": "item_1", "type": "command_execution", "command": command,
                "aggregated_output": "", "exit_code": null, "status": "in_progress",
            }})]
        );
        assert_eq!(
            ended,
            [json!({"type": "item.completed", "item": {
                "id": "item_1", "type": "command_execution", "command": command,
                "aggregated_output": "a", "exit_code": 3, "status": "failed",
            }})]
        );
    }

    #[test]
    fn only_a_successful_turn_is_completed() {
        let lines = &mut CodexLines::default();
        let text = "Done.".to_owned();
        let well = printed(lines, &Message::Ended(&Ending::Completed(text)));
        assert_eq!(well[0]["type"], "turn.completed");
        let limit = Ending::Failed(ApiFailure::usage_limit());
        let failed = printed(lines, &Message::Ended(&limit));
        assert_eq!(failed[0]["type"], "turn.failed");
        assert_eq!(failed[0]["error"]["message"], "You've hit your usage limit");
        assert_eq!(printed(lines, &Message::Ended(&Ending::Crashed(3))), [Value::Null; 0]);
    }

    #[test]
    fn events_of_claude_are_not_printed_for_codex() {
        let lines = &mut CodexLines::default();
        for message in
            [Message::System(json!({})), Message::Hook(json!({})), Message::Synthetic("x")]
        {
            assert_eq!(printed(lines, &message), [Value::Null; 0]);
        }
    }
}
