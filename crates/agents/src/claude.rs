//! Claude Code: `claude -p`, its flags and its `stream-json` lines.

mod assistant;
mod decoder;
mod environment;
mod hook_response;
mod init;
mod message_line;
mod rate_limit;
mod raw;
mod request;
mod result_line;
mod system;
mod todo_list;
mod tool_input;
mod user;

pub use decoder::Decoder;
pub use request::{RefusedArgument, Request, command};
