//! Everything that a session has to say, whoever says it.

use std::path::Path;

use serde_json::Value;

use super::ending::{ApiFailure, Ending};
use super::plugin::Plugin;
use super::tool::{ToolOutcome, ToolUse};

#[derive(Debug)]
pub(super) enum Said<'a> {
    Started {
        cwd: &'a Path,
        plugins: &'a [Plugin],
    },
    /// Something that only Claude Code tells, with its `subtype`.
    System(Value),
    /// About a hook, for those who asked for it.
    Hook(Value),
    /// About a subscription's limit.
    Limit(Value),
    /// The model says something: always a new answer.
    Text(&'a str),
    /// The model calls a tool, in the answer in which it said why.
    ToolUse(&'a ToolUse),
    ToolResult(&'a ToolUse, &'a ToolOutcome),
    /// A message in the user's name that no user wrote.
    Synthetic(&'a str),
    Interrupted,
    /// The API is tried again.
    Retry {
        attempt: u64,
        of: u64,
        failure: &'a ApiFailure,
    },
    /// The agent's own answer where the model gave none.
    Failure(&'a ApiFailure),
    Ended(&'a Ending),
}
