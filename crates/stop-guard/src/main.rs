//! The Stop hook of a loop session. Standard output carries one JSON object or nothing; what was
//! decided and why goes to standard error; the exit code is always 0, because any other would be
//! taken for a broken hook.

use std::io::Write;

use hook_io::{HookInput, words_for_a_person};
use stop_guard::{Surroundings, decide};

const NAME: &str = env!("CARGO_PKG_NAME");

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    if let Some(words) = words_for_a_person(NAME, version, include_str!("help.txt")) {
        let _ = writeln!(std::io::stdout(), "{}", words.trim_end());
        return;
    }
    let (input, complaint) = match hook_io::read_input() {
        Ok(input) => (input, None),
        Err(error) => (HookInput::default(), Some(error)),
    };
    let mut verdict = decide(&input, &Surroundings::from_process(&input));
    if let Some(error) = complaint {
        verdict.log.insert(0, format!("warning: {error}; going by the environment alone"));
    }
    verdict.deliver(NAME);
}
