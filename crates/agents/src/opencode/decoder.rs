//! Decodes stream lines to events; unknown ones are ignored.
//!
//! The stream has no result line: the last step and the exit code decide the result.

use std::mem;

use crate::decode::{Emit, JsonDecoder};
use crate::message_buffer::MessageBuffer;
use crate::raw::{Object, Raw};
use crate::{AgentEvent, AgentResult, Ending, ProcessExit, Thread, TokenCount, ToolOutcome};

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
    /// It has ended, for this reason.
    Finished { reason: String },
    /// Its call of the model failed.
    Failed { status: Option<u16>, message: String },
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        // Every line names the session.
        if self.session_id.is_none() && line["sessionID"].text().is_some() {
            self.session_id = line["sessionID"].string();
            emit(AgentEvent::started(self.session_id.clone(), None));
        }
        let part = line["part"].fields();
        match kind {
            "step_start" => {
                self.messages.tool_call_follows(emit);
                self.latest = Latest::UnderWay;
            }
            "text" => self.messages.whole(&part["text"].text().unwrap_or_default(), emit),
            "tool_use" => tool(&part, emit),
            "step_finish" => self.step_finished(&part, emit),
            "error" => self.latest = failed(&line["error"].fields()),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, exit: ProcessExit, emit: Emit<'_>) {
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
            cost_usd: self.cost_usd,
            tokens: self.tokens,
            turns: Some(self.steps),
            session_id: self.session_id.clone(),
            ..AgentResult::of(ending, self.messages.final_message().to_owned())
        }));
    }
}

impl Decoder {
    fn step_finished(&mut self, part: &Object<'_>, emit: Emit<'_>) {
        let tokens = tokens(part["tokens"]);
        if part["reason"].is(TOOL_CALLS) {
            self.messages.tool_call_follows(emit);
        }
        self.latest = Latest::Finished { reason: part["reason"].string().unwrap_or_default() };
        self.tokens.add(tokens);
        self.steps += 1;
        if let Some(cost) = part["cost"].number() {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
        if tokens.total() > 0 {
            emit(AgentEvent::Context { tokens: tokens.total() });
        }
    }
}

/// A tool is reported in one line when it has ended.
fn tool(part: &Object<'_>, emit: Emit<'_>) {
    let state = part["state"].fields();
    emit(AgentEvent::tool_started(part["callID"], part["tool"], state["input"], Thread::Main));
    let exit = state["metadata"].fields()["exit"].number();
    let ok = state["status"].is("completed") && exit.is_none_or(|code| code == 0.0);
    let text = state["output"].text().or_else(|| state["error"].text()).unwrap_or_default();
    emit(AgentEvent::tool_ended(part["callID"], ToolOutcome::failed_if(!ok), &text));
}

/// The input excludes cached tokens; reasoning is separate from the output.
fn tokens(usage: Raw<'_>) -> TokenCount {
    let usage = usage.fields();
    let cache = usage["cache"].fields();
    TokenCount {
        input: usage["input"].count(),
        output: usage["output"].count().saturating_add(usage["reasoning"].count()),
        cache_read: cache["read"].count(),
        cache_creation: cache["write"].count(),
    }
}

fn failed(error: &Object<'_>) -> Latest {
    let data = error["data"].fields();
    let message = data["message"].string().or_else(|| error["name"].string());
    Latest::Failed { status: data["statusCode"].status(), message: message.unwrap_or_default() }
}
