//! Decodes stream lines to events; unknown ones are ignored.

use std::time::Duration;

use crate::decode::{Emit, JsonDecoder};
use crate::message_buffer::MessageBuffer;
use crate::raw::Object;
use crate::{AgentEvent, AgentResult, Ending, ProcessExit, Thread, ToolOutcome};

/// An info line that repeats a retry.
const RETRY: &str = "model_retry";

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    messages: MessageBuffer,
    model: Option<String>,
    /// The last failed model call: its number and HTTP status.
    failed_call: (u64, Option<u16>),
    session_error: Option<SessionError>,
    turns: u64,
}

#[derive(Debug)]
struct SessionError {
    message: String,
    status: Option<u16>,
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        let data = line["data"].fields();
        let thread = match data["parentToolCallId"].is_present() {
            true => Thread::Subagent,
            false => Thread::Main,
        };
        match kind {
            "session.tools_updated" => self.started(&data, emit),
            "tool.execution_start" => {
                if thread == Thread::Main {
                    self.messages.tool_call_follows(emit);
                }
                let (id, name) = (data["toolCallId"], data["toolName"]);
                emit(AgentEvent::tool_started(id, name, data["arguments"], thread));
            }
            "tool.execution_complete" => emit(tool_ended(&data)),
            "assistant.turn_retry" => emit(self.retry(&data)),
            "session.warning" | "session.info" if !data["infoType"].is(RETRY) => {
                emit(AgentEvent::Notice { text: data["message"].summary().unwrap_or_default() });
            }
            "result" => self.result(line, emit),
            _ if thread == Thread::Main => self.main_thread(kind, &data, emit),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, _exit: ProcessExit, emit: Emit<'_>) {
        self.messages.end(emit);
    }
}

impl Decoder {
    fn main_thread(&mut self, kind: &str, data: &Object<'_>, emit: Emit<'_>) {
        match kind {
            "assistant.turn_start" => {
                self.messages.tool_call_follows(emit);
                self.turns += 1;
            }
            "assistant.message_start" => self.messages.end(emit),
            "assistant.message_delta" => {
                self.messages.piece(&data["deltaContent"].text().unwrap_or_default());
            }
            "assistant.message" => {
                self.session_error = None;
                self.messages.whole(&data["content"].text().unwrap_or_default(), emit);
                if !data["toolRequests"].items().is_empty() {
                    self.messages.tool_call_follows(emit);
                }
            }
            "model.call_failure" => {
                self.failed_call = (data["retryAttempt"].count(), data["statusCode"].status());
            }
            "session.error" => {
                let unauthorized = data["errorType"].is("authentication").then_some(401);
                self.session_error = Some(SessionError {
                    message: data["message"].string().unwrap_or_default(),
                    status: data["statusCode"].status().or(unauthorized),
                });
            }
            _ => {}
        }
    }

    /// The tools are reported again when they change, but the session starts only once.
    fn started(&mut self, data: &Object<'_>, emit: Emit<'_>) {
        if self.model.is_none() {
            self.model = Some(data["model"].string().unwrap_or_default());
            emit(AgentEvent::started(None, self.named_model()));
        }
    }

    fn named_model(&self) -> Option<String> {
        self.model.clone().filter(|model| !model.is_empty())
    }

    /// Reported after the wait, without the maximum number of retries.
    fn retry(&self, data: &Object<'_>) -> AgentEvent {
        let (attempt, status) = self.failed_call;
        AgentEvent::Retry {
            attempt: attempt.saturating_add(1),
            of: 0,
            delay: Duration::ZERO,
            status,
            reason: data["reason"].summary().unwrap_or_default(),
        }
    }

    fn result(&mut self, line: &Object<'_>, emit: Emit<'_>) {
        self.messages.end(emit);
        let duration = line["usage"].fields()["sessionDurationMs"].whole();
        let text = self.messages.final_message().to_owned();
        emit(AgentEvent::Result(AgentResult {
            turns: Some(self.turns),
            duration: duration.map(Duration::from_millis),
            model: self.named_model(),
            session_id: line["sessionId"].string(),
            ..AgentResult::of(self.ending(line["exitCode"].number()), text)
        }));
    }

    fn ending(&self, exit_code: Option<f64>) -> Ending {
        match (&self.session_error, exit_code) {
            (Some(SessionError { message, status }), _) => {
                Ending::ApiError { status: *status, message: message.clone() }
            }
            (None, Some(0.0)) => Ending::Completed,
            (None, code) => {
                let reason = code.map_or("no exit code".into(), |code| format!("exit code {code}"));
                Ending::Other { reason, message: String::new() }
            }
        }
    }
}

/// A failed command is a successful tool call.
fn tool_ended(data: &Object<'_>) -> AgentEvent {
    let exit_code = data["shellExecution"].fields()["exitCode"].number();
    let ok = data["success"].flag() == Some(true) && exit_code.is_none_or(|code| code == 0.0);
    let content = data["result"].fields()["content"].text();
    let text = content.or_else(|| data["error"].fields()["message"].text()).unwrap_or_default();
    AgentEvent::tool_ended(data["toolCallId"], ToolOutcome::failed_if(!ok), &text)
}
