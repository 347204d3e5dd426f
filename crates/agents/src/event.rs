//! The events of a session, common to all agents. The loop has its own event types.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{AgentResult, ToolOutput, tool_input};

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
    Text { text: String },
    /// The summary is one bounded line of the tool's input.
    ToolStarted { id: String, name: String, summary: String, thread: Thread },
    /// The summary is the first line of the tool's output, bounded.
    ToolEnded { id: String, outcome: ToolOutcome, summary: String, output: ToolOutput },
    /// The agent's whole todo list, after each change.
    Todo { items: Vec<TodoItem> },
    /// TokenCount in the context of the main thread after its latest message.
    Context { tokens: u64 },
    /// The agent waits, then calls its model again. `of` is 0 if unknown.
    Retry { attempt: u64, of: u64, delay: Duration, status: Option<u16>, reason: String },
    /// The usage of the account.
    Limit(UsageLimit),
    /// The answer of a hook.
    Hook(HookAnswer),
    /// The agent compacted its context.
    Compacted { tokens_after: Option<u64> },
    /// A message of the agent's program for the user.
    Notice { text: String },
    /// The agent's own result; the last of several counts.
    Result(AgentResult),
}

impl AgentEvent {
    /// A session of an agent that names neither its version nor plugins.
    pub(crate) fn started(session_id: Option<String>, model: Option<String>) -> Self {
        Self::SessionStarted { session_id, model, version: None, plugins: Vec::new() }
    }

    pub(crate) fn tool_started(id: Raw<'_>, name: Raw<'_>, input: Raw<'_>, thread: Thread) -> Self {
        Self::ToolStarted {
            id: id.string().unwrap_or_default(),
            name: name.string().unwrap_or_default(),
            summary: tool_input::summary(input),
            thread,
        }
    }

    pub(crate) fn tool_ended(id: Raw<'_>, outcome: ToolOutcome, text: &str) -> Self {
        Self::ToolEnded {
            id: id.string().unwrap_or_default(),
            outcome,
            summary: one_line(text),
            output: ToolOutput::of(text),
        }
    }
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

impl ToolOutcome {
    pub(crate) fn failed_if(failed: bool) -> Self {
        if failed { Self::Failed } else { Self::Ok }
    }
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

/// The answer of a hook, by which the runner knows that its guard ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAnswer {
    /// The event, such as `Stop`.
    pub event: String,
    /// The event with its subject, such as `PostToolUse:Bash`.
    pub name: String,
    pub exit_code: Option<i32>,
    pub verdict: HookVerdict,
    pub stderr: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// Said nothing.
    Silent,
    /// Blocked the agent's action.
    Blocked { reason: String },
    /// Showed a message to the user.
    Warned { message: String },
    /// Added context for the model.
    Informed { context: String },
    /// Failed, and the agent continued without it.
    Failed { why: String },
}

/// The usage of a subscription or an account.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageLimit {
    pub state: QuotaState,
    /// Unix seconds.
    pub resets_at: Option<u64>,
    /// The agent's name for the window, such as `five_hour`; empty if it gave none.
    pub window: String,
    /// A fraction: 0.5 is half of the window.
    pub utilization: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotaState {
    Allowed,
    Warning,
    Rejected,
}
