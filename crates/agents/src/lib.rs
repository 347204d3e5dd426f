//! One module per agent CLI: how it is called, and how its stream becomes events.
//!
//! The types here are common to all agents; what is peculiar to one stays in its module. Not here:
//! starting processes, the disk, stories.

mod abilities;
mod agent;
mod amp;
pub mod claude;
mod cline;
mod codex;
mod command_line;
mod completion;
mod copilot;
mod decode;
mod event;
mod gemini;
mod hook;
mod http_status;
mod json;
mod json_line;
mod limit;
mod needs;
mod one_line;
mod opencode;
mod own_options;
mod raw;
mod request;
mod result;
mod speech;
mod text;
mod tool_input;
mod tool_output;

pub use abilities::{Abilities, Installed, SignIn};
pub use agent::{Agent, UnknownAgent};
pub use command_line::{CommandLine, Value};
pub use completion::{Completion, NearMiss};
pub(crate) use decode::JsonDecoder;
pub use decode::{Decode, Heard, ProcessExit};
pub use event::{AgentEvent, LoadedPlugin, Thread, TodoItem, TodoState, ToolOutcome};
pub use hook::{HookAnswer, HookVerdict};
pub use json::{BadFilter, Filter, Filters};
pub use limit::{LimitState, UsageLimit};
pub use needs::Needs;
pub use request::{PromptVia, RefusedArgument, Request, Servers};
pub use result::{AgentResult, Ending, Tokens};
pub use tool_output::ToolOutput;
