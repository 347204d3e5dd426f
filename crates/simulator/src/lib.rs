//! A simulated agent that replaces Claude Code ([`run_agent`]), and a scripted model server with
//! harnesses for the real Claude Code and the real Codex ([`Codex`]).
//!
//! In the harnesses only the model is simulated. Plugins, hooks, tools, transcripts and exit codes
//! are those of the real program.
//!
//! `ralph-loop` links it for its demo and for the self-test of `doctor`; no hook does. The library never prints.
//!
//! ```ignore
#![doc = include_str!("../examples/scripted_session.rs")]
//! ```

mod agent;
mod claude;
mod codex;
mod command_outcome;
mod harness_error;
mod model;
mod process;
mod scratch_folders;
mod script;

pub use agent::{
    Act, IGNORE_DENIALS_VARIABLE, LimitStatus, Lingering, PAUSE_VARIABLE, SCENARIO_VARIABLE,
    Scenario, ScenarioError, ScenarioVerdict, When, run_agent,
};
pub use claude::{
    CLAUDE_PATH_VARIABLE, ClaudeCode, Home, HookResponse, MEMORY_SERVER_PATH_VARIABLE, Outcome,
    Session,
};
pub use codex::{CODEX_PATH_VARIABLE, Codex};
pub use command_outcome::CommandOutcome;
pub use harness_error::HarnessError;
pub use model::{Request, ScriptedModel};
pub use script::{DEFAULT_CONTEXT_TOKENS, Refusal, Script, ToolCall, Turn};
pub use tasks::Mode;
pub use uuid::Uuid;
