//! The Stop hook of a loop session. Standard output carries one JSON object or nothing, standard error the
//! decision and its reason. The exit code is always 0: Claude Code takes any other for a broken hook.

use hook_io::{Hook, HookInput};
use stop_guard::{Environment, decide};

const HOOK: Hook = Hook {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
    about: include_str!("help.txt"),
};

fn main() {
    HOOK.run(|input| {
        let (input, complaint) = match input {
            Ok(input) => (input, None),
            Err(error) => (HookInput::default(), Some(error)),
        };
        let mut verdict = decide(&input, &Environment::from_process(&input));
        if let Some(error) = complaint {
            verdict.log.insert(0, format!("warning: {error}; using the environment only"));
        }
        verdict
    });
}
