//! `tool.*` lines: tool calls and their results.

use serde::Deserialize;

use crate::one_line::one_line;
use crate::raw::Raw;
use crate::tool_input;
use crate::{AgentEvent, Thread, ToolOutcome, ToolOutput};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    tool_call_id: Raw<'a>,
    #[serde(borrow)]
    tool_name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    #[serde(borrow)]
    success: Raw<'a>,
    #[serde(borrow)]
    result: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    shell_execution: Raw<'a>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
}

#[derive(Deserialize)]
struct ToolError<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShellExecution<'a> {
    #[serde(borrow)]
    exit_code: Raw<'a>,
}

pub(super) fn started(data: Raw<'_>, thread: Thread) -> AgentEvent {
    let data: Data<'_> = data.parse().unwrap_or_default();
    AgentEvent::ToolStarted {
        id: data.tool_call_id.string().unwrap_or_default(),
        name: data.tool_name.string().unwrap_or_default(),
        summary: tool_input::summary(data.arguments),
        thread,
    }
}

/// A failed command is a successful tool call.
pub(super) fn ended(data: Raw<'_>) -> AgentEvent {
    let data: Data<'_> = data.parse().unwrap_or_default();
    let shell: Option<ShellExecution<'_>> = data.shell_execution.parse();
    let exit_code = shell.and_then(|shell| shell.exit_code.number());
    let ok = data.success.flag() == Some(true) && exit_code.is_none_or(|code| code == 0.0);
    let content = data.result.parse().and_then(|answer: ToolResult<'_>| answer.content.text());
    let why = || data.error.parse().and_then(|error: ToolError<'_>| error.message.text());
    let text = content.or_else(why).unwrap_or_default();
    AgentEvent::ToolEnded {
        id: data.tool_call_id.string().unwrap_or_default(),
        outcome: if ok { ToolOutcome::Ok } else { ToolOutcome::Failed },
        summary: one_line(&text),
        output: ToolOutput::of(&text),
    }
}
