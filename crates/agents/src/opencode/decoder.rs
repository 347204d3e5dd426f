//! Decodes stream lines to events; unknown ones are ignored.
//!
//! The stream has no result line: the last step and the exit code decide the result.

use std::mem;

use serde::Deserialize;

use crate::message_buffer::MessageBuffer;
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{
    AgentEvent, AgentResult, Ending, JsonDecoder, ProcessExit, Thread, TokenCount, ToolOutcome,
    ToolOutput, tool_input,
};

/// The reason of a step that another one follows.
const TOOL_CALLS: &str = "tool-calls";

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    messages: MessageBuffer,
    session_id: Option<String>,
    latest: Latest,
    tokens: TokenCount,
    cost_usd: Option<f64>,
    steps: u64,
}

/// The state of the last step.
#[derive(Debug, Default)]
enum Latest {
    #[default]
    UnderWay,
    Finished {
        reason: String,
    },
    Failed {
        status: Option<u16>,
        message: String,
    },
}

#[derive(Deserialize)]
struct OpencodeLine<'a> {
    #[serde(rename = "sessionID", borrow)]
    session_id: Raw<'a>,
    #[serde(borrow)]
    part: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct MessagePart<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    tool: Raw<'a>,
    #[serde(rename = "callID", borrow)]
    call_id: Raw<'a>,
    #[serde(borrow)]
    state: Raw<'a>,
    #[serde(borrow)]
    reason: Raw<'a>,
    #[serde(borrow)]
    tokens: Raw<'a>,
    #[serde(borrow)]
    cost: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct ToolState<'a> {
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    metadata: Raw<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow)]
    exit: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct Usage<'a> {
    #[serde(borrow)]
    input: Raw<'a>,
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(borrow)]
    reasoning: Raw<'a>,
    #[serde(borrow)]
    cache: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct Cache<'a> {
    #[serde(borrow)]
    read: Raw<'a>,
    #[serde(borrow)]
    write: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct OpencodeError<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    data: Raw<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpencodeErrorData<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    status_code: Raw<'a>,
}

impl JsonDecoder for Decoder {
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()> {
        let line: OpencodeLine<'_> = serde_json::from_str(line)?;
        self.session(line.session_id, emit);
        let part = || line.part.parse::<MessagePart<'_>>().unwrap_or_default();
        match kind {
            "step_start" => {
                self.messages.tool_call_follows(emit);
                self.latest = Latest::UnderWay;
            }
            "text" => self.messages.whole(&part().text.text().unwrap_or_default(), emit),
            "tool_use" => tool(&part(), emit),
            "step_finish" => self.step_finished(&part(), emit),
            "error" => self.latest = failed(line.error),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let ending = match mem::take(&mut self.latest) {
            Latest::Failed { status, message } => Ending::ApiError { status, message },
            // The next step is missing: the session was interrupted.
            Latest::Finished { reason } if reason == TOOL_CALLS => return,
            Latest::Finished { reason } if exit == ProcessExit::Code(0) => match &*reason {
                "stop" => Ending::Completed,
                _ => Ending::Other { reason, message: String::new() },
            },
            Latest::UnderWay | Latest::Finished { .. } => return,
        };
        emit(AgentEvent::Result(AgentResult {
            ending,
            text: self.messages.final_message().to_owned(),
            cost_usd: self.cost_usd,
            tokens: self.tokens,
            turns: Some(self.steps),
            duration: None,
            context_window: None,
            model: None,
            session_id: self.session_id.clone(),
            structured: None,
        }));
    }
}

impl Decoder {
    /// Every line names the session.
    fn session(&mut self, id: Raw<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        if self.session_id.is_none()
            && let Some(id) = id.string()
        {
            self.session_id = Some(id.clone());
            emit(AgentEvent::SessionStarted {
                session_id: Some(id),
                model: None,
                version: None,
                plugins: Vec::new(),
            });
        }
    }

    fn step_finished(&mut self, part: &MessagePart<'_>, emit: &mut dyn FnMut(AgentEvent)) {
        let tokens = tokens(&part.tokens.parse().unwrap_or_default());
        if part.reason.is(TOOL_CALLS) {
            self.messages.tool_call_follows(emit);
        }
        self.latest = Latest::Finished { reason: part.reason.string().unwrap_or_default() };
        self.tokens = self.tokens.plus(tokens);
        self.steps += 1;
        if let Some(cost) = part.cost.number() {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
        if tokens.total() > 0 {
            emit(AgentEvent::Context { tokens: tokens.total() });
        }
    }
}

/// A tool is reported in one line when it has ended.
fn tool(part: &MessagePart<'_>, emit: &mut dyn FnMut(AgentEvent)) {
    let id = part.call_id.string().unwrap_or_default();
    let state: ToolState<'_> = part.state.parse().unwrap_or_default();
    emit(AgentEvent::ToolStarted {
        id: id.clone(),
        name: part.tool.string().unwrap_or_default(),
        summary: tool_input::summary(state.input),
        thread: Thread::Main,
    });
    let exit = state.metadata.parse().and_then(|metadata: Metadata<'_>| metadata.exit.number());
    let ok = state.status.is("completed") && exit.is_none_or(|code| code == 0.0);
    let text = state.output.text().or_else(|| state.error.text()).unwrap_or_default();
    emit(AgentEvent::ToolEnded {
        id,
        outcome: if ok { ToolOutcome::Ok } else { ToolOutcome::Failed },
        summary: one_line(&text),
        output: ToolOutput::of(&text),
    });
}

/// The input excludes cached tokens; reasoning is separate from the output.
fn tokens(usage: &Usage<'_>) -> TokenCount {
    let cache: Cache<'_> = usage.cache.parse().unwrap_or_default();
    let output = usage.output.whole().unwrap_or(0);
    TokenCount {
        input: usage.input.whole().unwrap_or(0),
        output: output.saturating_add(usage.reasoning.whole().unwrap_or(0)),
        cache_read: cache.read.whole().unwrap_or(0),
        cache_creation: cache.write.whole().unwrap_or(0),
    }
}

fn failed(error: Raw<'_>) -> Latest {
    let error: OpencodeError<'_> = error.parse().unwrap_or_default();
    let data: OpencodeErrorData<'_> = error.data.parse().unwrap_or_default();
    let message = data.message.string().or_else(|| error.name.string());
    Latest::Failed {
        status: data.status_code.whole().and_then(|status| status.try_into().ok()),
        message: message.unwrap_or_default(),
    }
}
