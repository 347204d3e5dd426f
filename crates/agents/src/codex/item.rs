//! Items of a turn: messages, tools and the todo list.

use std::collections::HashSet;

use super::shell_words;
use crate::decode::Emit;
use crate::one_line::one_line;
use crate::raw::{Object, Raw};
use crate::tool_input;
use crate::{AgentEvent, Thread, TodoItem, TodoState, ToolOutcome, ToolOutput};

/// The state of a turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The last message, unless a tool call followed it.
    pub(super) last_message: Option<String>,
    tools_at_work: HashSet<String>,
    todo: Vec<TodoItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Started,
    Updated,
    Completed,
}

pub(super) fn decode(turn: &mut Turn, phase: Phase, item: Raw<'_>, emit: Emit<'_>) {
    let item = item.fields();
    let kind = item["type"].text().unwrap_or_default();
    match (&*kind, phase) {
        ("agent_message", Phase::Completed) => {
            let text = item["text"].string().unwrap_or_default();
            turn.last_message = Some(text.clone());
            if !text.trim().is_empty() {
                emit(AgentEvent::Text { text });
            }
        }
        // A warning: the turn continues.
        ("error", Phase::Completed) => {
            if let Some(text) = item["message"].summary() {
                emit(AgentEvent::Notice { text });
            }
        }
        ("todo_list", _) => {
            let todo: Vec<_> = item["items"].objects().iter().filter_map(todo_item).collect();
            if todo != turn.todo {
                turn.todo.clone_from(&todo);
                emit(AgentEvent::Todo { items: todo });
            }
        }
        (
            "command_execution" | "file_change" | "mcp_tool_call" | "collab_tool_call"
            | "web_search",
            Phase::Started | Phase::Completed,
        ) => tool(turn, phase, &kind, &item, emit),
        _ => {}
    }
}

fn todo_item(item: &Object<'_>) -> Option<TodoItem> {
    let state = match item["completed"].flag() {
        Some(true) => TodoState::Done,
        _ => TodoState::Pending,
    };
    Some(TodoItem { text: item["text"].summary()?, state })
}

/// Some tools are only reported when they end.
fn tool(turn: &mut Turn, phase: Phase, kind: &str, item: &Object<'_>, emit: Emit<'_>) {
    let id = item["id"].string().unwrap_or_default();
    if turn.tools_at_work.insert(id.clone()) {
        turn.last_message = None;
        emit(AgentEvent::ToolStarted {
            id: id.clone(),
            name: name(kind, item),
            summary: about(kind, item),
            thread: Thread::Main,
        });
    }
    if phase == Phase::Completed {
        turn.tools_at_work.remove(&id);
        let text = answer(item).text().unwrap_or_default();
        emit(AgentEvent::ToolEnded {
            id,
            outcome: outcome(item),
            summary: summary(item, &text),
            output: ToolOutput::of(&text),
        });
    }
}

/// The tool names that Codex itself uses.
fn name(kind: &str, item: &Object<'_>) -> String {
    let word = |raw: Raw<'_>| raw.summary().unwrap_or_default();
    match kind {
        "command_execution" => "shell".to_owned(),
        "file_change" => "apply_patch".to_owned(),
        "mcp_tool_call" => format!("{}.{}", word(item["server"]), word(item["tool"])),
        "collab_tool_call" => word(item["tool"]),
        kind => kind.to_owned(),
    }
}

fn about(kind: &str, item: &Object<'_>) -> String {
    match kind {
        "command_execution" => {
            one_line(&shell_words::script(&item["command"].text().unwrap_or_default()))
        }
        "file_change" => changed(item["changes"]),
        "mcp_tool_call" => tool_input::summary(item["arguments"]),
        "collab_tool_call" => item["prompt"].summary().unwrap_or_default(),
        _ => item["query"].summary().unwrap_or_default(),
    }
}

fn changed(changes: Raw<'_>) -> String {
    let paths: Vec<_> =
        changes.objects().iter().filter_map(|change| change["path"].summary()).collect();
    match &*paths {
        [] => String::new(),
        [path] => path.clone(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    }
}

fn outcome(item: &Object<'_>) -> ToolOutcome {
    let failed = matches!(item["status"].text().as_deref(), Some("failed" | "declined"))
        || item["error"].is_present()
        || item["exit_code"].number().is_some_and(|code| code != 0.0);
    ToolOutcome::failed_if(failed)
}

/// The output, the first text of an MCP result, or its error.
fn answer<'a>(item: &Object<'a>) -> Raw<'a> {
    if item["aggregated_output"].is_present() {
        return item["aggregated_output"];
    }
    if let Some(error) = item["error"].parse::<Object<'_>>() {
        return error["message"];
    }
    let parts = item["result"].fields()["content"].objects();
    parts.iter().map(|part| part["text"]).find(|text| text.is_present()).unwrap_or_default()
}

fn summary(item: &Object<'_>, text: &str) -> String {
    let words = one_line(text);
    match item["exit_code"].number() {
        Some(code) if code != 0.0 && words.is_empty() => format!("Exit code {code}"),
        Some(code) if code != 0.0 => format!("Exit code {code}: {words}"),
        _ => words,
    }
}
