//! One module per agent program: its command line, and the decoding of its stream to events.
//!
//! The types here are common to all agents. The engine starts the processes.

mod adapter;
mod agent;
mod amp;
mod claude;
mod cline;
mod codex;
mod command_line;
mod completion;
mod copilot;
mod decode;
mod event;
mod gemini;
mod http_status;
mod json;
mod message_buffer;
mod needs;
mod one_line;
mod opencode;
mod raw;
mod request;
mod result;
mod text;
mod tool_input;
mod tool_output;

pub use adapter::{Abilities, Installed, SignIn};
pub use agent::Agent;
pub use command_line::{CommandLine, Value};
pub use completion::{Completion, CompletionTag, NearMiss};
pub use decode::{Decode, LineKind, ProcessExit};
pub use event::{
    AgentEvent, HookAnswer, HookVerdict, LoadedPlugin, QuotaState, Thread, TodoItem, TodoState,
    ToolOutcome, UsageLimit,
};
pub use json::{BadFilter, Filter, Filters};
pub use needs::{Needs, in_project};
pub use request::{RefusedArgument, Request, Servers};
pub use result::{AgentResult, Ending, TokenCount};
pub use run_options::PromptVia;
pub use tool_output::ToolOutput;
