//! The options of a session, common to all agents. An agent without a flag for an option ignores it, see
//! `Abilities`.

use std::ffi::OsString;
use std::path::PathBuf;

use run_options::PromptVia;
use thiserror::Error;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    pub prompt: String,
    /// The working directory.
    pub folder: PathBuf,
    /// A new UUID.
    pub session_id: String,
    pub model: Option<String>,
    /// Used when the model is overloaded.
    pub fallback_model: Option<String>,
    pub max_turns: Option<u64>,
    pub max_budget_usd: Option<f64>,
    pub plugin_dir: Option<PathBuf>,
    /// Settings of the agent as JSON, which extra arguments cannot override.
    pub settings: Option<String>,
    pub servers: Servers,
    /// A JSON Schema for the final answer.
    pub answer_schema: Option<&'static str>,
    /// A file that is appended to the agent's system prompt.
    pub system_prompt_file: Option<PathBuf>,
    pub extra_args: Vec<OsString>,
    /// How a program without an adapter gets its prompt.
    pub prompt_via: PromptVia,
    /// The prompt as a file, for programs that need one.
    pub prompt_file: PathBuf,
}

/// The MCP servers that a session sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Servers {
    /// The user's configured servers.
    #[default]
    Inherited,
    /// Only those of this file; none without one.
    Only(Option<PathBuf>),
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RefusedArgument {
    #[error("{0} disables the hooks that Ralph needs")]
    SwitchesHooksOff(String),
    #[error("{0} is set by the runner")]
    Reserved(String),
    #[error("the prompt has {bytes} bytes, more than an argument can have ({most})")]
    PromptTooLong { bytes: usize, most: usize },
}
