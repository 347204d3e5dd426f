//! The events of a session, common to all agents. The loop has its own event types.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{AgentResult, HookAnswer, ToolOutput, UsageLimit};

#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// Can be repeated when the same session is woken.
    SessionStarted {
        session_id: Option<String>,
        model: Option<String>,
        version: Option<String>,
        plugins: Vec<LoadedPlugin>,
    },
    /// The agent's own text: never tool output, a subagent's text or an echo of the prompt.
    Text {
        text: String,
    },
    /// The summary is one bounded line of the tool's input.
    ToolStarted {
        id: String,
        name: String,
        summary: String,
        thread: Thread,
    },
    /// The summary is the first line of the tool's output, bounded.
    ToolEnded {
        id: String,
        outcome: ToolOutcome,
        summary: String,
        output: ToolOutput,
    },
    /// The agent's whole todo list, after each change.
    Todo {
        items: Vec<TodoItem>,
    },
    /// TokenCount in the context of the main thread after its latest message.
    Context {
        tokens: u64,
    },
    /// The agent waits, then calls its model again.
    Retry {
        attempt: u64,
        /// 0 if unknown.
        of: u64,
        delay: Duration,
        status: Option<u16>,
        reason: String,
    },
    Limit(UsageLimit),
    Hook(HookAnswer),
    Compacted {
        tokens_after: Option<u64>,
    },
    /// A message of the agent's program for the user.
    Notice {
        text: String,
    },
    /// The agent's own result; the last of several counts.
    Result(AgentResult),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedPlugin {
    pub name: String,
    /// Not always a path: a plugin that ships with the agent has `builtin`.
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    Main,
    Subagent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolOutcome {
    Ok,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    pub text: String,
    pub state: TodoState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}
