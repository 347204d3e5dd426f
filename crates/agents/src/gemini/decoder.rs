//! Decodes stream lines to events; unknown ones are ignored.

use super::{exit_code, result_line};
use crate::decode::{Emit, JsonDecoder};
use crate::message_buffer::MessageBuffer;
use crate::raw::Object;
use crate::{AgentEvent, AgentResult, ProcessExit, Thread, ToolOutcome};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pub(super) messages: MessageBuffer,
    pub(super) session_id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) result: Option<AgentResult>,
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "init" => {
                self.session_id = line["session_id"].string();
                self.model = line["model"].string();
                emit(AgentEvent::started(self.session_id.clone(), self.model.clone()));
            }
            "message" => self.message(line, emit),
            "tool_use" => {
                self.messages.tool_call_follows(emit);
                let (id, name) = (line["tool_id"], line["tool_name"]);
                emit(AgentEvent::tool_started(id, name, line["parameters"], Thread::Main));
            }
            "tool_result" => {
                self.messages.tool_call_follows(emit);
                let why = || line["error"].fields()["message"].text();
                let text = line["output"].text().or_else(why).unwrap_or_default();
                let outcome = ToolOutcome::failed_if(!line["status"].is("success"));
                emit(AgentEvent::tool_ended(line["tool_id"], outcome, &text));
            }
            "error" => {
                if let Some(text) = line["message"].summary() {
                    emit(AgentEvent::Notice { text });
                }
            }
            "result" => result_line::decode(self, line, emit),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, exit: ProcessExit, emit: Emit<'_>) {
        self.messages.end(emit);
        let ProcessExit::Code(code) = exit else { return };
        let result = match self.result.take() {
            Some(result) => exit_code::refine(&result.ending, code)
                .map(|ending| AgentResult { ending, ..result }),
            None => exit_code::refusal(code).map(|ending| AgentResult {
                model: self.model.clone(),
                session_id: self.session_id.clone(),
                ..AgentResult::of(ending, String::new())
            }),
        };
        if let Some(result) = result {
            emit(AgentEvent::Result(result));
        }
    }
}

impl Decoder {
    /// Ignores user messages, which repeat the prompt.
    fn message(&mut self, line: &Object<'_>, emit: Emit<'_>) {
        if !line["role"].is("assistant") {
            self.messages.tool_call_follows(emit);
            return;
        }
        let text = line["content"].text().unwrap_or_default();
        if line["delta"].flag() == Some(true) {
            self.messages.piece(&text);
        } else {
            self.messages.end(emit);
            self.messages.whole(&text, emit);
        }
    }
}
