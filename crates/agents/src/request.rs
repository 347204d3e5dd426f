//! What a session is asked to do, whichever agent does it. What an agent has no flag for is left
//! out: `Abilities` says so.

use std::ffi::OsString;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    pub prompt: String,
    /// The folder it works in.
    pub folder: PathBuf,
    /// A UUID that no session had before.
    pub session_id: String,
    pub model: Option<String>,
    /// Where the model is overloaded.
    pub fallback_model: Option<String>,
    pub max_turns: Option<u64>,
    pub max_budget_usd: Option<f64>,
    pub plugin_dir: Option<PathBuf>,
    /// Settings of the agent's own that nobody else may change, as JSON.
    pub settings: Option<String>,
    pub servers: Servers,
    /// A JSON Schema of what the last answer has to be.
    pub answer_schema: Option<&'static str>,
    /// Words that follow the agent's own system prompt.
    pub system_prompt_file: Option<PathBuf>,
    pub extra_args: Vec<OsString>,
    /// How a program that nobody knows takes its prompt.
    pub prompt_via: PromptVia,
    /// Where the prompt lies, for those who take it as a file.
    pub prompt_file: PathBuf,
}

/// The MCP servers that a session sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Servers {
    /// The user's own, wherever they are configured.
    #[default]
    Inherited,
    /// Those of this file and no others; none at all without one.
    Only(Option<PathBuf>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PromptVia {
    #[default]
    Stdin,
    Argument,
    File,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RefusedArgument {
    #[error("{0} switches the hooks off, and with them the guard")]
    SwitchesHooksOff(String),
    #[error("{0} is the runner's own to set")]
    RunnersOwn(String),
    #[error("a prompt of {bytes} bytes is too long for an argument (at most {most})")]
    PromptTooLong { bytes: usize, most: usize },
}
