//! The PostToolUse and SessionStart hook. Standard output carries one JSON object or nothing, standard
//! error the decision and its reason. The exit code is always 0.

use context_monitor::{Environment, decide};
use hook_io::{Hook, HookDecision};

const HOOK: Hook = Hook {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
    about: include_str!("help.txt"),
};

fn main() {
    HOOK.run(|input| match input {
        Ok(input) => decide(&input, &Environment::from_process(&input)),
        Err(error) => HookDecision::silent(format!("silent: {error}")),
    });
}
