//! The hook that stands at the end of a loop session. Standard output carries one JSON object or nothing; what was
//! decided and why goes to standard error; the exit code is always 0, because any other would be
//! taken for a broken hook.

use hook_io::{Hook, HookInput};
use stop_guard::{Surroundings, decide};

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
        let mut verdict = decide(&input, &Surroundings::from_process(&input));
        if let Some(error) = complaint {
            verdict.log.insert(0, format!("warning: {error}; going by the environment alone"));
        }
        verdict
    });
}
