//! Amp: `amp -x`, its flags and its `--stream-json` lines, which match Claude Code's except for the result.

mod command;
mod decoder;
mod result_line;
mod tool_result;

use crate::{Abilities, Installed, SignIn};

pub(crate) use command::command;
pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities =
    Abilities { tokens: true, session_id: true, structured_output: true, ..Abilities::NONE };

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".local/bin/amp", ".amp/bin/amp", ".npm-global/bin/amp"],
    hint: "install it with npm install -g @ampcode/cli",
};

pub(crate) const SIGN_IN: SignIn = SignIn::Needed {
    variable: "AMP_API_KEY",
    file: ".local/share/amp/secrets.json",
    hint: "set AMP_API_KEY, or run `amp login`",
};
