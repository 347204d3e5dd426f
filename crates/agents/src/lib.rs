//! One folder per agent CLI: how it is called, and how its stream becomes events.
//!
//! The types here are common to all agents; what is peculiar to one stays in its folder. Not here:
//! starting processes, the disk, stories.

pub mod claude;
mod command_line;
mod completion;
mod event;
mod hook;
mod limit;
mod one_line;
mod result;

pub use command_line::CommandLine;
pub use completion::has_completion_tag;
pub use event::{AgentEvent, LoadedPlugin, Thread, TodoItem, TodoState, ToolOutcome};
pub use hook::{HookAnswer, HookVerdict};
pub use limit::{LimitState, UsageLimit};
pub use result::{AgentResult, Ending, Tokens};
