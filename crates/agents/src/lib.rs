//! One module per agent program: its command line, and the decoding of its stream to events.
//!
//! The types here are common to all agents. The engine starts the processes.

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
mod message_buffer;
mod needs;
mod one_line;
mod opencode;
mod raw;
mod request;
mod reserved_options;
mod result;
mod text;
mod tool_input;
mod tool_output;

pub use abilities::{Abilities, Installed, SignIn};
pub use agent::Agent;
pub use command_line::{CommandLine, Value};
pub use completion::{Completion, CompletionTag, NearMiss};
pub(crate) use decode::JsonDecoder;
pub use decode::{Decode, LineKind, ProcessExit};
pub use event::{AgentEvent, LoadedPlugin, Thread, TodoItem, TodoState, ToolOutcome};
pub use hook::{HookAnswer, HookVerdict};
pub use json::{BadFilter, Filter, Filters};
pub use limit::{QuotaState, UsageLimit};
pub use needs::Needs;
pub use request::{RefusedArgument, Request, Servers};
pub use result::{AgentResult, Ending, TokenCount};
pub use run_options::PromptVia;
pub use tool_output::ToolOutput;
