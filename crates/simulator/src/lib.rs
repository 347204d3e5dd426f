//! A simulated agent that replaces Claude Code ([`run_agent`]), and a scripted model server for the
//! real agents ([`ScriptedModel`]).
//!
//! `ralph-loop` links it for its demo and for the self-test of `doctor`; no hook does. The library never prints.

mod agent;
mod claude_environment;
mod model;
mod scratch_folders;
mod script;

pub use agent::{
    Act, IGNORE_DENIALS_VARIABLE, LimitStatus, Lingering, PAUSE_VARIABLE, SCENARIO_VARIABLE,
    Scenario, ScenarioVerdict, When, run_agent,
};
pub use model::{Request, ScriptedModel};
pub use scratch_folders::ScratchFolders;
pub use script::{Refusal, Script, ToolCall, Turn};
pub use tasks::Mode;
pub use uuid::Uuid;
