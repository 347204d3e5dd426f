//! Harnesses for the real Claude Code ([`Home`]) and the real Codex ([`Codex`]). `tests/` holds the
//! end-to-end tests of the product with these agents, with packages and with a browser.
//!
//! Only the model is simulated, by the `simulator` crate. Plugins, hooks, tools, transcripts and
//! exit codes are those of the real program.
//!
//! ```ignore
#![doc = include_str!("../examples/scripted_session.rs")]
//! ```

mod claude;
mod codex;
mod command_outcome;
mod harness_error;
mod process;

pub use claude::{
    CLAUDE_PATH_VARIABLE, ClaudeCode, Home, HookResponse, MEMORY_SERVER_PATH_VARIABLE, Outcome,
    Session,
};
pub use codex::{CODEX_PATH_VARIABLE, Codex};
pub use command_outcome::CommandOutcome;
pub use harness_error::HarnessError;
