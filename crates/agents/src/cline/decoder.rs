//! Decodes stream lines to events; unknown ones are ignored.

use super::run_result;
use crate::decode::{Emit, JsonDecoder};
use crate::message_buffer::MessageBuffer;
use crate::one_line::one_line;
use crate::raw::Object;
use crate::{AgentEvent, ProcessExit, Thread, ToolOutcome};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pub(super) messages: MessageBuffer,
    pub(super) session_id: Option<String>,
    pub(super) fatal_error: Option<FatalError>,
}

/// An error that ends the session.
#[derive(Debug)]
pub(super) struct FatalError {
    pub(super) class: String,
    pub(super) message: String,
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "agent_event" => self.event(&line["event"].fields(), emit),
            "hook_event"
                if line["hookEventName"].is("agent_start")
                    && !line["parentAgentId"].is_present() =>
            {
                self.session_id = line["taskId"].string();
                emit(AgentEvent::started(self.session_id.clone(), None));
            }
            "run_result" => run_result::decode(self, line, emit),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, _exit: ProcessExit, emit: Emit<'_>) {
        self.messages.end(emit);
    }
}

impl Decoder {
    fn event(&mut self, event: &Object<'_>, emit: Emit<'_>) {
        let (kind, content) = (event["type"].text(), event["contentType"].text());
        match (kind.as_deref().unwrap_or_default(), content.as_deref()) {
            ("content_start", Some("text")) => {
                self.messages.piece(&event["text"].text().unwrap_or_default());
            }
            ("content_end", Some("text")) => match event["text"].text() {
                Some(text) => self.messages.whole(&text, emit),
                None => self.messages.end(emit),
            },
            ("content_start", Some("tool")) => {
                self.messages.tool_call_follows(emit);
                let (id, name) = (event["toolCallId"], event["toolName"]);
                emit(AgentEvent::tool_started(id, name, event["input"], Thread::Main));
            }
            ("content_end", Some("tool")) => emit(tool_ended(event)),
            ("iteration_start", _) => self.messages.tool_call_follows(emit),
            ("usage", _) => {
                // The input includes cached tokens.
                let tokens =
                    event["inputTokens"].count().saturating_add(event["outputTokens"].count());
                if tokens > 0 {
                    emit(AgentEvent::Context { tokens });
                }
            }
            ("error", _) => self.error(event, emit),
            _ => {}
        }
    }

    fn error(&mut self, event: &Object<'_>, emit: Emit<'_>) {
        let message = event["error"].fields()["message"].string().unwrap_or_default();
        if event["recoverable"].flag() == Some(true) {
            emit(AgentEvent::Notice { text: one_line(&message) });
        } else {
            let class = event["errorClass"].string().unwrap_or_default();
            self.fatal_error = Some(FatalError { class, message });
        }
    }
}

/// A tool result is a text, or a list of partial results.
fn tool_ended(event: &Object<'_>) -> AgentEvent {
    let mut answers = event["output"].objects();
    if answers.is_empty() {
        answers.extend(event["output"].parse::<Object<'_>>());
    }
    let failed = event["error"].is_present()
        || answers.iter().any(|answer| answer["success"].flag() == Some(false));
    let text = event["output"].string().unwrap_or_else(|| {
        let texts = answers.iter().filter_map(|answer| {
            let result = answer["result"].text().filter(|text| !text.is_empty());
            result.or_else(|| answer["error"].text())
        });
        texts.collect::<Vec<_>>().join("\n")
    });
    let text = if text.is_empty() { event["error"].string().unwrap_or_default() } else { text };
    AgentEvent::tool_ended(event["toolCallId"], ToolOutcome::failed_if(failed), &text)
}
