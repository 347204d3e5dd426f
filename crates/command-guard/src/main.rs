//! The hook that stands before every tool of a loop session. Standard output carries one JSON object or
//! nothing; what was decided and why goes to standard error; the exit code is always 0, because any
//! other would be taken for a broken hook.

use command_guard::{Surroundings, decide};
use hook_io::{Hook, HookInput};

const HOOK: Hook = Hook {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
    about: include_str!("help.txt"),
};

fn main() {
    // A hook that breaks guards nothing: the command would run.
    std::panic::set_hook(Box::new(|panic| {
        command_guard::broken(&panic.to_string()).deliver(HOOK.name);
        std::process::exit(0);
    }));
    HOOK.run(|input| {
        let (input, complaint) = match input {
            Ok(input) => (input, None),
            // A tool that nobody can name might be any.
            Err(error) => {
                let tool_name = Some("Bash".to_owned());
                (HookInput { tool_name, ..HookInput::default() }, Some(error))
            }
        };
        let mut verdict = decide(&input, &Surroundings::from_process(&input));
        if let Some(error) = complaint {
            verdict.log.push(format!("warning: {error}"));
        }
        verdict
    });
}
