//! Claude Code: `claude -p`, its flags and its `stream-json` lines.

pub(crate) mod assistant;
mod decoder;
mod decoder_state;
mod hook_response;
mod rate_limit;
mod request;
mod result_line;
mod system;
mod todo_list;
pub(crate) mod user;

use crate::adapter::Adapter;
use crate::{Abilities, Installed, SignIn, needs};

pub(crate) use decoder::message;
pub(crate) use decoder_state::Decoder;
pub(crate) use request::interactive;

pub(crate) const ADAPTER: Adapter = Adapter {
    name: "claude",
    abilities: Abilities {
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
    },
    installed: Installed {
        usual_places: &[".local/bin/claude", ".claude/local/claude"],
        hint: "install it from https://claude.com/claude-code",
    },
    sign_in: SignIn::ReportedByAgent,
    needs: needs::CLAUDE,
    command: request::command,
    decoder: |_| Box::<Decoder>::default(),
};
