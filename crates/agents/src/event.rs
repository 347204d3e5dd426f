//! What an agent tells while it works, whichever agent it is.
//!
//! Not here: what a loop makes of it; its events are types of their own.

use std::path::PathBuf;
use std::time::Duration;

use crate::{AgentResult, HookAnswer, ToolOutput, UsageLimit};

#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// Can come again when something wakes the same session.
    SessionStarted {
        session_id: Option<String>,
        model: Option<String>,
        version: Option<String>,
        plugins: Vec<LoadedPlugin>,
    },
    /// The agent's own words: never a tool's output, a subagent's text or an echo of the prompt.
    Text {
        text: String,
    },
    /// The summary is one bounded line made of the tool's input.
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
    /// The agent's own list of steps, whole, each time it changes.
    Todo {
        items: Vec<TodoItem>,
    },
    /// Tokens in the context of the main thread after its latest message.
    Context {
        tokens: u64,
    },
    /// The agent waits and then asks its model again.
    Retry {
        attempt: u64,
        /// 0 if it does not tell.
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
    /// Something the agent's program itself says to people.
    Notice {
        text: String,
    },
    /// The end of the work, as far as the agent knows: of several, the last one counts.
    Result(AgentResult),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedPlugin {
    pub name: String,
    /// Not always a path of the disk: what ships with the agent says `builtin`.
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    Main,
    Subagent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    Ok,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoItem {
    pub text: String,
    pub state: TodoState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}
