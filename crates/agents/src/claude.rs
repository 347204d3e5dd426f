//! Claude Code: `claude -p`, its flags and its `stream-json` lines.

pub(crate) mod assistant;
mod decoder;
mod environment;
mod hook_response;
mod init;
pub(crate) mod message_line;
mod rate_limit;
mod request;
mod result_line;
mod system;
mod todo_list;
pub(crate) mod user;

use crate::{Abilities, Installed, SignIn};

pub use decoder::Decoder;
pub(crate) use request::{command, interactive};

pub(crate) const ABILITIES: Abilities = Abilities {
    cost: true,
    tokens: true,
    session_id: true,
    model: true,
    hooks: true,
    structured_output: true,
    quota: true,
    usage_limits: true,
    max_turns: true,
    budget: true,
    answer_schema: true,
    own_servers: true,
    system_prompt_file: true,
    fallback_model: true,
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".local/bin/claude", ".claude/local/claude"],
    hint: "install it from https://claude.com/claude-code",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;
