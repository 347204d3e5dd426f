//! Decodes stream lines to events; unknown ones are ignored.

use serde::Deserialize;

use super::run_result;
use crate::message_buffer::MessageBuffer;
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{AgentEvent, JsonDecoder, ProcessExit, Thread, ToolOutcome, ToolOutput, tool_input};

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

#[derive(Deserialize)]
struct ClineLine<'a> {
    #[serde(borrow)]
    event: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hook<'a> {
    #[serde(borrow)]
    hook_event_name: Raw<'a>,
    #[serde(borrow)]
    task_id: Raw<'a>,
    #[serde(borrow)]
    parent_agent_id: Raw<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    content_type: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    tool_call_id: Raw<'a>,
    #[serde(borrow)]
    tool_name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    error_class: Raw<'a>,
    #[serde(borrow)]
    recoverable: Raw<'a>,
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
}

#[derive(Deserialize)]
struct PartialResult<'a> {
    #[serde(borrow)]
    result: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    success: Raw<'a>,
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
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
        match kind {
            "agent_event" => {
                let ClineLine { event } = serde_json::from_str(line)?;
                self.event(&event.parse().unwrap_or_default(), emit);
            }
            "hook_event" => self.hook(&serde_json::from_str(line)?, emit),
            "run_result" => run_result::decode(self, line, emit)?,
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, _exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        self.messages.end(emit);
    }
}

impl Decoder {
    fn hook(&mut self, hook: &Hook<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        if hook.hook_event_name.is("agent_start") && !hook.parent_agent_id.is_present() {
            self.session_id = hook.task_id.string();
            let session_id = self.session_id.clone();
            emit(AgentEvent::SessionStarted {
                session_id,
                model: None,
                version: None,
                plugins: Vec::new(),
            });
        }
    }

    fn event(&mut self, event: &Event<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        let (kind, content) = (event.kind.text(), event.content_type.text());
        match (kind.as_deref().unwrap_or_default(), content.as_deref()) {
            ("content_start", Some("text")) => {
                self.messages.piece(&event.text.text().unwrap_or_default());
            }
            ("content_end", Some("text")) => match event.text.text() {
                Some(text) => self.messages.whole(&text, emit),
                None => self.messages.end(emit),
            },
            ("content_start", Some("tool")) => {
                self.messages.tool_call_follows(emit);
                emit(AgentEvent::ToolStarted {
                    id: event.tool_call_id.string().unwrap_or_default(),
                    name: event.tool_name.string().unwrap_or_default(),
                    summary: tool_input::summary(event.input),
                    thread: Thread::Main,
                });
            }
            ("content_end", Some("tool")) => emit(tool_ended(event)),
            ("iteration_start", _) => self.messages.tool_call_follows(emit),
            ("usage", _) => context(event, emit),
            ("error", _) => self.error(event, emit),
            _ => {}
        }
    }

    fn error(&mut self, event: &Event<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        let error: Option<ErrorObject<'_>> = event.error.parse();
        let message = error.and_then(|error| error.message.string()).unwrap_or_default();
        if event.recoverable.flag() == Some(true) {
            emit(AgentEvent::Notice { text: one_line(&message) });
        } else {
            let class = event.error_class.string().unwrap_or_default();
            self.fatal_error = Some(FatalError { class, message });
        }
    }
}

/// The input includes cached tokens.
fn context(event: &Event<'_>, emit: &mut dyn FnMut(AgentEvent)) {
    let (input, output) = (event.input_tokens.whole(), event.output_tokens.whole());
    let tokens = input.unwrap_or(0).saturating_add(output.unwrap_or(0));
    if tokens > 0 {
        emit(AgentEvent::Context { tokens });
    }
}

/// A tool result is a text, or a list of partial results.
fn tool_ended(event: &Event<'_>) -> AgentEvent {
    let mut answers: Vec<PartialResult<'_>> =
        event.output.items().into_iter().filter_map(Raw::parse).collect();
    if answers.is_empty() {
        answers.extend(event.output.parse::<PartialResult<'_>>());
    }
    let failed = event.error.is_present()
        || answers.iter().any(|answer| answer.success.flag() == Some(false));
    let text = event.output.string().unwrap_or_else(|| {
        let texts = answers.iter().filter_map(|answer| {
            answer.result.text().filter(|text| !text.is_empty()).or_else(|| answer.error.text())
        });
        texts.collect::<Vec<_>>().join("\n")
    });
    let text = if text.is_empty() { event.error.string().unwrap_or_default() } else { text };
    AgentEvent::ToolEnded {
        id: event.tool_call_id.string().unwrap_or_default(),
        outcome: if failed { ToolOutcome::Failed } else { ToolOutcome::Ok },
        summary: one_line(&text),
        output: ToolOutput::of(&text),
    }
}
