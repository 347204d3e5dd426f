//! Codex: `codex exec`, its flags and its `--json` lines.

mod command;
mod decoder;
mod failure;
mod item;
mod reset_time;
mod shell_words;

use crate::{Abilities, Installed, SignIn};

pub(crate) use command::command;
pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities {
    tokens: true,
    session_id: true,
    model: true,
    structured_output: true,
    usage_limits: true,
    ..Abilities::NONE
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".local/bin/codex", ".npm-global/bin/codex", ".bun/bin/codex"],
    hint: "install it with npm install -g @openai/codex",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;
