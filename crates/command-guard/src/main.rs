//! The PreToolUse hook. Standard output carries one JSON object or nothing, standard error the decision and its
//! reason. The exit code is always 0: Claude Code takes any other for a broken hook.

use command_guard::{Environment, decide};
use hook_io::{Hook, HookInput};

const HOOK: Hook = Hook {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
    about: include_str!("help.txt"),
};

fn main() {
    // If the hook crashed without an answer, the command would run.
    std::panic::set_hook(Box::new(|panic| {
        command_guard::broken(&panic.to_string()).deliver(HOOK.name);
        std::process::exit(0);
    }));
    HOOK.run(|input| {
        let (input, complaint) = match input {
            Ok(input) => (input, None),
            // The tool is unknown, so the call is refused.
            Err(error) => {
                let tool_name = Some("Bash".to_owned());
                (HookInput { tool_name, ..HookInput::default() }, Some(error))
            }
        };
        let mut verdict = decide(&input, &Environment::from_process(&input));
        if let Some(error) = complaint {
            verdict.log.push(format!("warning: {error}"));
        }
        verdict
    });
}
