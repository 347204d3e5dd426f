//! `assistant` lines: text and tool calls of the agent.

use super::decoder::Message;
use super::decoder_state::Decoder;
use crate::decode::Emit;
use crate::raw::{Object, Raw};
use crate::tool_input;
use crate::{AgentEvent, Thread, TokenCount};

/// The model name of messages that Claude Code writes itself, such as API errors. The result line repeats them.
const NO_MODEL: &str = "<synthetic>";

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &Object<'_>,
    message: &Message<'_>,
    emit: Emit<'_>,
) {
    if message.model.is(NO_MODEL) {
        return;
    }
    let main = !line["parent_tool_use_id"].is_present() && !line["agent_id"].is_present();
    let thread = if main { Thread::Main } else { Thread::Subagent };
    if thread == Thread::Main {
        context(decoder, message, emit);
    }
    for block in &message.content {
        match block["type"].text().as_deref() {
            Some("text") if thread == Thread::Main => {
                let text = block["text"].string().unwrap_or_default();
                if !text.trim().is_empty() {
                    emit(AgentEvent::Text { text });
                }
            }
            Some("tool_use") => tool(decoder, block, thread, emit),
            _ => {}
        }
    }
}

/// A message has several lines, and each repeats its usage.
fn context(decoder: &mut Decoder, message: &Message<'_>, emit: Emit<'_>) {
    let id = message.id.text();
    if id.is_some() && id.as_deref() == decoder.counted_message.as_deref() {
        return;
    }
    let tokens = tokens(message.usage).total();
    if tokens > 0 {
        decoder.counted_message = id.map(|id| id.into_owned());
        emit(AgentEvent::Context { tokens });
    }
}

fn tool(decoder: &mut Decoder, block: &Object<'_>, thread: Thread, emit: Emit<'_>) {
    let id = block["id"].string().unwrap_or_default();
    let name = block["name"].string().unwrap_or_default();
    let todo = match thread {
        Thread::Main => decoder.todo.tool_started(&id, &name, block["input"]),
        Thread::Subagent => None,
    };
    let summary = tool_input::summary(block["input"]);
    emit(AgentEvent::ToolStarted { id, name, summary, thread });
    if let Some(items) = todo {
        emit(AgentEvent::Todo { items });
    }
}

/// Token counts of the API; a missing count is zero.
pub(crate) fn tokens(usage: Raw<'_>) -> TokenCount {
    TokenCount::read(
        &usage.fields(),
        ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    )
}
