//! Decodes stream lines to events; unknown ones are ignored.

use serde::Deserialize;

use super::{exit_code, result_line};
use crate::message_buffer::MessageBuffer;
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{
    AgentEvent, AgentResult, Ending, JsonDecoder, ProcessExit, Thread, TokenCount, ToolOutcome,
    ToolOutput, tool_input,
};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pub(super) messages: MessageBuffer,
    pub(super) session_id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) result: Option<AgentResult>,
}

#[derive(Deserialize)]
struct GeminiLine<'a> {
    #[serde(borrow)]
    session_id: Raw<'a>,
    #[serde(borrow)]
    model: Raw<'a>,
    #[serde(borrow)]
    role: Raw<'a>,
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    delta: Raw<'a>,
    #[serde(borrow)]
    tool_name: Raw<'a>,
    #[serde(borrow)]
    tool_id: Raw<'a>,
    #[serde(borrow)]
    parameters: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Deserialize)]
struct ToolError<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
}

impl JsonDecoder for Decoder {
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()> {
        if kind == "result" {
            return result_line::decode(self, line, emit);
        }
        let line: GeminiLine<'_> = serde_json::from_str(line)?;
        match kind {
            "init" => {
                self.session_id = line.session_id.string();
                self.model = line.model.string();
                emit(AgentEvent::SessionStarted {
                    session_id: self.session_id.clone(),
                    model: self.model.clone(),
                    version: None,
                    plugins: Vec::new(),
                });
            }
            "message" => self.message(&line, emit),
            "tool_use" => {
                self.messages.tool_call_follows(emit);
                emit(AgentEvent::ToolStarted {
                    id: line.tool_id.string().unwrap_or_default(),
                    name: line.tool_name.string().unwrap_or_default(),
                    summary: tool_input::summary(line.parameters),
                    thread: Thread::Main,
                });
            }
            "tool_result" => {
                self.messages.tool_call_follows(emit);
                emit(tool_ended(&line));
            }
            "error" => {
                if let Some(text) = line.message.summary() {
                    emit(AgentEvent::Notice { text });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        self.messages.end(emit);
        let ProcessExit::Code(code) = exit else { return };
        let result = match self.result.take() {
            Some(result) => exit_code::refine(&result.ending, code)
                .map(|ending| AgentResult { ending, ..result }),
            None => exit_code::refusal(code).map(|ending| self.refused(ending)),
        };
        if let Some(result) = result {
            emit(AgentEvent::Result(result));
        }
    }
}

impl Decoder {
    /// Ignores user messages, which repeat the prompt.
    fn message(&mut self, line: &GeminiLine<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        if !line.role.is("assistant") {
            self.messages.tool_call_follows(emit);
            return;
        }
        let text = line.content.text().unwrap_or_default();
        if line.delta.flag() == Some(true) {
            self.messages.piece(&text);
        } else {
            self.messages.end(emit);
            self.messages.whole(&text, emit);
        }
    }

    fn refused(&self, ending: Ending) -> AgentResult {
        AgentResult {
            ending,
            text: String::new(),
            cost_usd: None,
            tokens: TokenCount::default(),
            turns: None,
            duration: None,
            context_window: None,
            model: self.model.clone(),
            session_id: self.session_id.clone(),
            structured: None,
        }
    }
}

fn tool_ended(line: &GeminiLine<'_>) -> AgentEvent {
    let why = || line.error.parse().and_then(|error: ToolError<'_>| error.message.text());
    let text = line.output.text().or_else(why).unwrap_or_default();
    AgentEvent::ToolEnded {
        id: line.tool_id.string().unwrap_or_default(),
        outcome: if line.status.is("success") { ToolOutcome::Ok } else { ToolOutcome::Failed },
        summary: one_line(&text),
        output: ToolOutput::of(&text),
    }
}
