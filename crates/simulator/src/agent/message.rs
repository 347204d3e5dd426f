//! The messages of a session, independent of the agent's format.

use std::path::Path;

use serde_json::Value;

use super::ending::{ApiFailure, Ending};
use super::plugin::Plugin;
use super::tool::{ToolOutcome, ToolUse};

#[derive(Debug)]
pub(super) enum Message<'a> {
    Started {
        cwd: &'a Path,
        plugins: &'a [Plugin],
    },
    /// Only in Claude Code, with its `subtype`.
    System(Value),
    /// A hook event, if the caller asked for hook events.
    Hook(Value),
    /// A subscription limit.
    Limit(Value),
    /// Text of the model: a new answer.
    Text(&'a str),
    /// A tool call of the model, in the same answer as the text before it.
    ToolUse(&'a ToolUse),
    ToolResult(&'a ToolUse, &'a ToolOutcome),
    /// A message in the user's name that the user did not write.
    Synthetic(&'a str),
    Interrupted,
    /// A retry of the API request.
    Retry {
        attempt: u64,
        of: u64,
        failure: &'a ApiFailure,
    },
    /// The agent's own answer after an API error.
    Failure(&'a ApiFailure),
    Ended(&'a Ending),
}
