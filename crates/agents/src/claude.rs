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

use crate::{Abilities, Ability, Installed, SignIn};

pub use decoder::Decoder;
pub(crate) use request::{command, interactive};

pub(crate) const ABILITIES: Abilities = Abilities {
    cost: Ability::Yes,
    tokens: Ability::Yes,
    session_id: Ability::Yes,
    model: Ability::Yes,
    hooks: Ability::Yes,
    structured_output: Ability::Yes,
    quota: Ability::Yes,
    usage_limits: Ability::Yes,
    max_turns: Ability::Yes,
    budget: Ability::Yes,
    answer_schema: Ability::Yes,
    own_servers: Ability::Yes,
    system_prompt_file: Ability::Yes,
    fallback_model: Ability::Yes,
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".local/bin/claude", ".claude/local/claude"],
    hint: "install it from https://claude.com/claude-code",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ToldByItself;
