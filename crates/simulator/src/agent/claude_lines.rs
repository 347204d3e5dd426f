//! The stream and the transcript of Claude Code: JSON lines.
//!
//! `session` decides what is printed when.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::arguments::{Arguments, OutputFormat, VERSION};
use super::ending::{ApiFailure, Ending};
use super::message::Message;
use super::plugin::Plugin;
use super::stream::{Dialect, uuid, with};
use super::tally::Tally;
use super::tool::{ToolOutcome, ToolUse};

#[derive(Debug)]
pub(super) struct ClaudeLines {
    format: OutputFormat,
    include_hook_events: bool,
    permission_mode: &'static str,
    session_id: String,
    model: String,
    transcript: File,
    started: Instant,
    /// The answer that a tool call continues.
    open_message: Option<String>,
}

impl Dialect for ClaudeLines {
    fn lines(&mut self, message: &Message<'_>, tally: &mut Tally) -> io::Result<String> {
        Ok(match message {
            Message::Started { cwd, plugins } => self.started(cwd, plugins),
            Message::System(body) => self.system(body.clone()),
            Message::Hook(body) if self.include_hook_events => self.system(body.clone()),
            Message::Hook(_) => String::new(),
            Message::Limit(info) => {
                self.line(json!({"type": "rate_limit_event", "rate_limit_info": info}))
            }
            Message::Text(text) => self.text(text, tally)?,
            Message::ToolUse(tool) => self.tool_use(tool, tally)?,
            Message::ToolResult(tool, outcome) => self.tool_result(tool, outcome)?,
            Message::Synthetic(text) => {
                self.user(json!({"type": "text", "text": text}), json!({"isSynthetic": true}))?
            }
            Message::Interrupted => {
                let text = "[Request interrupted by user]";
                self.user(json!({"type": "text", "text": text}), json!({}))?
            }
            Message::Retry { attempt, of, failure } => self.retry(*attempt, *of, failure),
            Message::Failure(failure) => self.failure(failure),
            Message::Ended(ending) => self.result(ending, tally),
        })
    }

    fn line_of_text(&self, text: &str, tally: &Tally) -> String {
        let message = self.message("msg_flood", json!({"type": "text", "text": text}), tally);
        let line = json!({"type": "assistant", "message": message, "parent_tool_use_id": null});
        format!("{}\n", self.labelled(line))
    }
}

impl ClaudeLines {
    pub(super) fn new(args: &Arguments, transcript: &Path) -> io::Result<Self> {
        if let Some(folder) = transcript.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Self {
            format: args.format,
            include_hook_events: args.include_hook_events,
            permission_mode: args.permission_mode(),
            session_id: args.session_id.clone(),
            model: args.model.clone(),
            transcript: OpenOptions::new().create(true).append(true).open(transcript)?,
            started: Instant::now(),
            open_message: None,
        })
    }

    fn started(&self, cwd: &Path, plugins: &[Plugin]) -> String {
        let plugins: Vec<_> = plugins.iter().map(Plugin::listing).collect();
        self.system(json!({
            "subtype": "init", "cwd": cwd, "model": self.model, "plugins": plugins,
            "tools": ["Bash", "Edit", "Read", "TodoWrite", "Write"], "mcp_servers": [],
            "permissionMode": self.permission_mode, "slash_commands": [],
            "apiKeySource": "none", "claude_code_version": VERSION, "output_style": "default",
            "agents": [], "skills": [], "capabilities": [], "original_cwd": cwd,
            "additional_directories": [], "fast_mode_state": "off",
        }))
    }

    fn system(&self, body: Value) -> String {
        self.line(with(body, json!({"type": "system"})))
    }

    fn retry(&self, attempt: u64, of: u64, failure: &ApiFailure) -> String {
        self.system(json!({
            "subtype": "api_retry", "attempt": attempt, "max_retries": of,
            "retry_delay_ms": 500u64 << attempt.min(6), "error_status": failure.status,
            "error": failure.names().retried_as,
        }))
    }

    fn text(&mut self, text: &str, tally: &mut Tally) -> io::Result<String> {
        let id = begin_message(tally);
        self.open_message = Some(id.clone());
        self.assistant(&id, json!({"type": "text", "text": text}), tally)
    }

    fn tool_use(&mut self, tool: &ToolUse, tally: &mut Tally) -> io::Result<String> {
        let id = match self.open_message.take() {
            Some(id) => id,
            None => begin_message(tally),
        };
        let content =
            json!({"type": "tool_use", "id": tool.id, "name": tool.name, "input": tool.input});
        self.assistant(&id, content, tally)
    }

    fn tool_result(&mut self, tool: &ToolUse, outcome: &ToolOutcome) -> io::Result<String> {
        let (content, extra) = match outcome {
            ToolOutcome::Done { content, .. } if tool.name == "Bash" => {
                (content, json!({"is_error": false}))
            }
            ToolOutcome::Done { content, .. } => (content, json!({})),
            ToolOutcome::Failed(message) | ToolOutcome::Denied(message) => {
                (message, json!({"is_error": true}))
            }
        };
        let result = json!({"tool_use_id": tool.id, "type": "tool_result", "content": content});
        let decision = match outcome {
            ToolOutcome::Denied(_) => json!({
                "non_execution_kind": "permission-rule", "permission_decision":
                    {"decision": "reject", "source": "hook", "reason_type": "hook"},
            }),
            ToolOutcome::Done { .. } | ToolOutcome::Failed(_) => json!({"permission_decision":
                {"decision": "accept", "source": "config", "reason_type": "mode"}}),
        };
        let meta = json!([with(json!({"id": tool.id}), decision)]);
        self.user(
            with(result, extra),
            json!({"tool_use_result": outcome.response(), "tool_result_meta": meta}),
        )
    }

    fn failure(&self, failure: &ApiFailure) -> String {
        let message = json!({
            "id": uuid(), "type": "message", "role": "assistant", "model": "<synthetic>",
            "container": null, "diagnostics": null, "context_management": null,
            "content": [{"type": "text", "text": failure.text}],
            "stop_details": null, "stop_reason": "stop_sequence", "stop_sequence": "",
            "usage": {"input_tokens": 0, "output_tokens": 0,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        });
        self.line(json!({
            "type": "assistant", "message": message, "parent_tool_use_id": null, "timestamp": now(),
            "error": failure.names().label, "is_api_error_message": true,
            "api_error_status": failure.status, "api_error_type": failure.names().kind,
        }))
    }

    /// The last line. Formats other than stream print only this.
    fn result(&self, ending: &Ending, tally: &Tally) -> String {
        let Some(fields) = ending.result_fields() else { return String::new() };
        let turns = match ending {
            Ending::TurnLimit(turns) => turns + 1,
            // The tool result counts as a turn.
            Ending::Answered(_) | Ending::AnswersUsedUp { .. } => tally.turns + 1,
            _ => tally.turns.max(1),
        };
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let models = tally.model_usage(&self.model);
        let sums = json!({
            "type": "result", "duration_ms": elapsed, "duration_api_ms": elapsed / 2,
            "num_turns": turns, "total_cost_usd": tally.usd(), "usage": tally.usage(),
            "modelUsage": models, "model_usage_since_last_result": models,
            "permission_denials": [], "fast_mode_state": "off", "safety_stops": 0,
            "queued_turn_count": 0, "result_index": 0,
        });
        match self.format {
            OutputFormat::StreamJson => self.line(with(sums, fields)),
            OutputFormat::Json => {
                format!("{}\n", self.labelled(with(sums, fields)))
            }
            OutputFormat::Text => {
                let text = fields["result"].as_str().or(fields["errors"][0].as_str());
                format!("{}\n", text.unwrap_or_default())
            }
        }
    }

    fn assistant(&mut self, id: &str, content: Value, tally: &Tally) -> io::Result<String> {
        let message = self.message(id, content, tally);
        self.conversation_line(json!({"type": "assistant", "message": message}))
    }

    fn user(&mut self, content: Value, extra: Value) -> io::Result<String> {
        self.open_message = None;
        let message = json!({"role": "user", "content": [content]});
        self.conversation_line(with(json!({"type": "user", "message": message}), extra))
    }

    fn message(&self, id: &str, content: Value, tally: &Tally) -> Value {
        json!({
            "id": id, "type": "message", "role": "assistant", "model": self.model,
            "content": [content], "stop_reason": null, "stop_sequence": null,
            "usage": tally.message_usage(), "context_management": null,
        })
    }

    /// A line of the conversation, which the transcript keeps too.
    fn conversation_line(&mut self, body: Value) -> io::Result<String> {
        let entry = json!({
            "type": body["type"], "message": body["message"], "isSidechain": false,
            "sessionId": self.session_id, "uuid": uuid(), "timestamp": now(), "version": VERSION,
        });
        self.transcript.write_all(format!("{entry}\n").as_bytes())?;
        Ok(self.line(with(body, json!({"parent_tool_use_id": null, "timestamp": now()}))))
    }

    fn line(&self, body: Value) -> String {
        if self.format != OutputFormat::StreamJson {
            return String::new();
        }
        format!("{}\n", self.labelled(body))
    }

    fn labelled(&self, body: Value) -> Value {
        with(body, json!({"session_id": self.session_id, "uuid": uuid()}))
    }
}

fn begin_message(tally: &mut Tally) -> String {
    tally.count_turn();
    format!("msg_{}", uuid::Uuid::new_v4().simple())
}

fn now() -> String {
    chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now())
        .to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
