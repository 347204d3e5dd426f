//! `user` lines: tool results, and the prompt, which is ignored.

use serde::Deserialize;

use crate::claude::message_line::{Block, MessageLine};
use crate::claude::user;
use crate::raw::Raw;
use crate::{AgentEvent, ToolOutcome};

/// The output of a shell command: JSON inside a text.
#[derive(Deserialize)]
struct Shell<'a> {
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(rename = "exitCode", borrow)]
    exit_code: Raw<'a>,
}

pub(super) fn decode(line: &str, emit: &mut dyn FnMut(AgentEvent)) -> serde_json::Result<()> {
    let MessageLine { message, .. } = MessageLine::read(line)?;
    for block in message.content.iter().filter(|block| block.kind.is("tool_result")) {
        emit(ended(block));
    }
    Ok(())
}

fn ended(block: &Block<'_>) -> AgentEvent {
    let text = block.content.text().unwrap_or_default();
    let shell =
        serde_json::from_str(&text).ok().filter(|shell: &Shell<'_>| shell.output.is_present());
    let exit_code = shell.as_ref().and_then(|shell| shell.exit_code.number()).unwrap_or(0.0);
    let content = shell.as_ref().map_or(block.content, |shell| shell.output);
    let words = user::summary(content);
    AgentEvent::ToolEnded {
        id: block.tool_use_id.string().unwrap_or_default(),
        outcome: match block.is_error.flag() {
            Some(true) => ToolOutcome::Failed,
            _ if exit_code != 0.0 => ToolOutcome::Failed,
            _ => ToolOutcome::Ok,
        },
        summary: match exit_code {
            0.0 => words,
            code => format!("Exit code {code}: {words}"),
        },
        output: user::output(content),
    }
}
