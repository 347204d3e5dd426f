//! The PostToolUse and SessionStart hook. Standard output carries one JSON object or nothing; what
//! was decided and why goes to standard error; the exit code is always 0.

use std::io::Write;

use context_monitor::{Surroundings, decide};
use hook_io::{Verdict, words_for_a_person};

const NAME: &str = env!("CARGO_PKG_NAME");

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    if let Some(words) = words_for_a_person(NAME, version, include_str!("help.txt")) {
        let _ = writeln!(std::io::stdout(), "{}", words.trim_end());
        return;
    }
    let verdict = match hook_io::read_input() {
        Ok(input) => decide(&input, &Surroundings::from_process(&input)),
        Err(error) => Verdict::silent(format!("silent: {error}")),
    };
    verdict.deliver(NAME);
}
