//! Decodes stream lines to events; unknown ones are ignored.

use std::time::Duration;

use serde::Deserialize;

use super::tool;
use crate::message_buffer::MessageBuffer;
use crate::raw::Raw;
use crate::{AgentEvent, AgentResult, Ending, JsonDecoder, ProcessExit, Thread, TokenCount};

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

#[derive(Deserialize)]
struct CopilotLine<'a> {
    #[serde(borrow)]
    data: Raw<'a>,
    #[serde(rename = "sessionId", borrow)]
    session_id: Raw<'a>,
    #[serde(rename = "exitCode", borrow)]
    exit_code: Raw<'a>,
    #[serde(borrow)]
    usage: Raw<'a>,
}

/// The fields of all line types.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    model: Raw<'a>,
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    delta_content: Raw<'a>,
    #[serde(borrow)]
    tool_requests: Raw<'a>,
    #[serde(borrow)]
    parent_tool_call_id: Raw<'a>,
    #[serde(borrow)]
    status_code: Raw<'a>,
    #[serde(borrow)]
    retry_attempt: Raw<'a>,
    #[serde(borrow)]
    reason: Raw<'a>,
    #[serde(borrow)]
    info_type: Raw<'a>,
    #[serde(borrow)]
    error_type: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage<'a> {
    #[serde(borrow)]
    session_duration_ms: Raw<'a>,
}

impl JsonDecoder for Decoder {
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()> {
        let line: CopilotLine<'_> = serde_json::from_str(line)?;
        let data: Data<'_> = line.data.parse().unwrap_or_default();
        let thread = match data.parent_tool_call_id.is_present() {
            true => Thread::Subagent,
            false => Thread::Main,
        };
        match kind {
            "session.tools_updated" => self.started(&data, emit),
            "tool.execution_start" => {
                if thread == Thread::Main {
                    self.messages.tool_call_follows(emit);
                }
                emit(tool::started(line.data, thread));
            }
            "tool.execution_complete" => emit(tool::ended(line.data)),
            "assistant.turn_retry" => emit(self.retry(&data)),
            "session.warning" | "session.info" if !data.info_type.is(RETRY) => {
                emit(AgentEvent::Notice { text: data.message.summary().unwrap_or_default() });
            }
            "result" => self.result(&line, emit),
            _ if thread == Thread::Main => self.main_thread(kind, &data, emit),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, _exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        self.messages.end(emit);
    }
}

impl Decoder {
    fn main_thread(&mut self, kind: &str, data: &Data<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        match kind {
            "assistant.turn_start" => {
                self.messages.tool_call_follows(emit);
                self.turns += 1;
            }
            "assistant.message_start" => self.messages.end(emit),
            "assistant.message_delta" => {
                self.messages.piece(&data.delta_content.text().unwrap_or_default());
            }
            "assistant.message" => {
                self.session_error = None;
                self.messages.whole(&data.content.text().unwrap_or_default(), emit);
                if !data.tool_requests.items().is_empty() {
                    self.messages.tool_call_follows(emit);
                }
            }
            "model.call_failure" => {
                self.failed_call = (data.retry_attempt.whole().unwrap_or(0), status(data));
            }
            "session.error" => {
                let unauthorized = data.error_type.is("authentication").then_some(401);
                self.session_error = Some(SessionError {
                    message: data.message.string().unwrap_or_default(),
                    status: status(data).or(unauthorized),
                });
            }
            _ => {}
        }
    }

    /// The tools are reported again when they change, but the session starts only once.
    fn started(&mut self, data: &Data<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        if self.model.is_none() {
            self.model = Some(data.model.string().unwrap_or_default());
            emit(AgentEvent::SessionStarted {
                session_id: None,
                model: self.model.clone().filter(|model| !model.is_empty()),
                version: None,
                plugins: Vec::new(),
            });
        }
    }

    /// Reported after the wait, without the maximum number of retries.
    fn retry(&self, data: &Data<'_>) -> AgentEvent {
        let (attempt, status) = self.failed_call;
        AgentEvent::Retry {
            attempt: attempt.saturating_add(1),
            of: 0,
            delay: Duration::ZERO,
            status,
            reason: data.reason.summary().unwrap_or_default(),
        }
    }

    fn result(&mut self, line: &CopilotLine<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        self.messages.end(emit);
        let usage: Option<Usage<'_>> = line.usage.parse();
        emit(AgentEvent::Result(AgentResult {
            ending: self.ending(line.exit_code.number()),
            text: self.messages.final_message().to_owned(),
            cost_usd: None,
            tokens: TokenCount::default(),
            turns: Some(self.turns),
            duration: usage
                .and_then(|usage| usage.session_duration_ms.whole())
                .map(Duration::from_millis),
            context_window: None,
            model: self.model.clone().filter(|model| !model.is_empty()),
            session_id: line.session_id.string(),
            structured: None,
        }));
    }

    fn ending(&self, exit_code: Option<f64>) -> Ending {
        match (&self.session_error, exit_code) {
            (Some(SessionError { message, status }), _) => {
                Ending::ApiError { status: *status, message: message.clone() }
            }
            (None, Some(0.0)) => Ending::Completed,
            (None, Some(code)) => {
                Ending::Other { reason: format!("exit code {code}"), message: String::new() }
            }
            (None, None) => {
                Ending::Other { reason: "no exit code".to_owned(), message: String::new() }
            }
        }
    }
}

fn status(data: &Data<'_>) -> Option<u16> {
    data.status_code.whole().and_then(|status| status.try_into().ok())
}
