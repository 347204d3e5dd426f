//! What the session prints, and what its transcript remembers: messages as lines of JSON.
//!
//! It adds to each line what all of them carry and counts what the result line sums up. When to
//! say what is decided in `session`.

use std::fs::{File, OpenOptions};
use std::io::{self, Stdout, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::arguments::{Arguments, HookEvents, OutputFormat, VERSION};
use super::ending::{ApiFailure, Ending};
use super::tally::Tally;
use super::tool::{ToolOutcome, ToolUse};

#[derive(Debug)]
pub(super) struct Stream {
    out: Stdout,
    format: OutputFormat,
    hook_events: HookEvents,
    session_id: String,
    model: String,
    transcript: File,
    started: Instant,
    pub(super) tally: Tally,
    /// The answer that a tool call would continue.
    open_message: Option<String>,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// The result line is out.
    Closed,
}

impl Stream {
    pub(super) fn new(args: &Arguments, transcript: &Path) -> io::Result<Self> {
        if let Some(folder) = transcript.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Self {
            out: io::stdout(),
            format: args.format,
            hook_events: args.hook_events,
            session_id: args.session_id.clone(),
            model: args.model.clone(),
            transcript: OpenOptions::new().create(true).append(true).open(transcript)?,
            started: Instant::now(),
            tally: Tally::default(),
            open_message: None,
            state: State::Open,
        })
    }

    /// A line of the system: `body` with its `subtype`.
    pub(super) fn system(&mut self, body: Value) -> io::Result<()> {
        self.line(with(body, json!({"type": "system"})))
    }

    /// A line about a hook, for those who asked for them.
    pub(super) fn hook(&mut self, body: Value) -> io::Result<()> {
        match self.hook_events {
            HookEvents::Included => self.system(body),
            HookEvents::Hidden => Ok(()),
        }
    }

    pub(super) fn limit(&mut self, info: Value) -> io::Result<()> {
        self.line(json!({"type": "rate_limit_event", "rate_limit_info": info}))
    }

    /// The model says something: always a new answer.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        let id = self.begin_message();
        self.open_message = Some(id.clone());
        self.assistant(&id, json!({"type": "text", "text": text}))
    }

    /// The model calls a tool, in the answer in which it said why.
    pub(super) fn tool_use(&mut self, tool: &ToolUse) -> io::Result<()> {
        let id = match self.open_message.take() {
            Some(id) => id,
            None => self.begin_message(),
        };
        let content =
            json!({"type": "tool_use", "id": tool.id, "name": tool.name, "input": tool.input});
        self.assistant(&id, content)
    }

    pub(super) fn tool_result(&mut self, tool: &ToolUse, outcome: &ToolOutcome) -> io::Result<()> {
        let (content, extra) = match outcome {
            ToolOutcome::Done { content, .. } if tool.name == "Bash" => {
                (content, json!({"is_error": false}))
            }
            ToolOutcome::Done { content, .. } => (content, json!({})),
            ToolOutcome::Failed { message } => (message, json!({"is_error": true})),
        };
        let result = json!({"tool_use_id": tool.id, "type": "tool_result", "content": content});
        let accepted = json!({"decision": "accept", "source": "config", "reason_type": "mode"});
        let meta = json!([{"id": tool.id, "permission_decision": accepted}]);
        self.user(
            with(result, extra),
            json!({"tool_use_result": outcome.response(), "tool_result_meta": meta}),
        )
    }

    /// A message in the user's name that no user wrote.
    pub(super) fn synthetic(&mut self, text: &str) -> io::Result<()> {
        self.user(json!({"type": "text", "text": text}), json!({"isSynthetic": true}))
    }

    pub(super) fn interrupted(&mut self) -> io::Result<()> {
        let text = "[Request interrupted by user]";
        self.user(json!({"type": "text", "text": text}), json!({}))
    }

    /// Claude Code's own answer where the model gave none.
    pub(super) fn failure(&mut self, failure: &ApiFailure) -> io::Result<()> {
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
            "error": failure.label(), "is_api_error_message": true,
            "api_error_status": failure.status, "api_error_type": failure.kind(),
        }))
    }

    /// The last line. The formats that are no stream print nothing else.
    pub(super) fn result(&mut self, ending: &Ending) -> io::Result<()> {
        let Some(verdict) = ending.verdict() else { return Ok(()) };
        self.state = State::Closed;
        let turns = match ending {
            Ending::TurnLimit { turns } => turns + 1,
            _ => self.tally.turns.max(1),
        };
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let models = self.tally.model_usage(&self.model);
        let sums = json!({
            "type": "result", "duration_ms": elapsed, "duration_api_ms": elapsed / 2,
            "num_turns": turns, "total_cost_usd": self.tally.usd(), "usage": self.tally.usage(),
            "modelUsage": models, "model_usage_since_last_result": models,
            "permission_denials": [], "fast_mode_state": "off", "safety_stops": 0,
            "queued_turn_count": 0, "result_index": 0,
        });
        match self.format {
            OutputFormat::StreamJson => self.line(with(sums, verdict)),
            OutputFormat::Json => {
                let line = self.labelled(with(sums, verdict));
                self.raw(format!("{line}\n").as_bytes())
            }
            OutputFormat::Text => {
                let text = verdict["result"].as_str().or(verdict["errors"][0].as_str());
                self.raw(format!("{}\n", text.unwrap_or_default()).as_bytes())
            }
        }
    }

    /// Bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// The line of a text as it would be printed, for those who print very many.
    pub(super) fn line_of_text(&self, text: &str) -> String {
        let message = self.message("msg_flood", json!({"type": "text", "text": text}));
        let line = json!({"type": "assistant", "message": message, "parent_tool_use_id": null});
        format!("{}\n", self.labelled(line))
    }

    fn begin_message(&mut self) -> String {
        self.tally.count_turn();
        format!("msg_{}", uuid::Uuid::new_v4().simple())
    }

    fn assistant(&mut self, id: &str, content: Value) -> io::Result<()> {
        let message = self.message(id, content);
        self.say(json!({"type": "assistant", "message": message}))
    }

    fn user(&mut self, content: Value, extra: Value) -> io::Result<()> {
        self.open_message = None;
        let message = json!({"role": "user", "content": [content]});
        self.say(with(json!({"type": "user", "message": message}), extra))
    }

    fn message(&self, id: &str, content: Value) -> Value {
        json!({
            "id": id, "type": "message", "role": "assistant", "model": self.model,
            "content": [content], "stop_reason": null, "stop_sequence": null,
            "usage": self.tally.message_usage(), "context_management": null,
        })
    }

    /// A line of the conversation, which the transcript keeps too.
    fn say(&mut self, body: Value) -> io::Result<()> {
        let entry = json!({
            "type": body["type"], "message": body["message"], "isSidechain": false,
            "sessionId": self.session_id, "uuid": uuid(), "timestamp": now(), "version": VERSION,
        });
        self.transcript.write_all(format!("{entry}\n").as_bytes())?;
        self.line(with(body, json!({"parent_tool_use_id": null, "timestamp": now()})))
    }

    fn line(&mut self, body: Value) -> io::Result<()> {
        if self.format != OutputFormat::StreamJson {
            return Ok(());
        }
        let line = self.labelled(body);
        self.raw(format!("{line}\n").as_bytes())
    }

    fn labelled(&self, body: Value) -> Value {
        with(body, json!({"session_id": self.session_id, "uuid": uuid()}))
    }
}

/// `base` with the fields of `more`.
pub(super) fn with(mut base: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut base, more) {
        fields.extend(more);
    }
    base
}

pub(super) fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
