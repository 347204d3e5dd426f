//! The PostToolUse and SessionStart hook. Standard output carries one JSON object or nothing; what
//! was decided and why goes to standard error; the exit code is always 0.

use context_monitor::{Surroundings, decide};
use hook_io::Verdict;

fn main() {
    let verdict = match hook_io::read_input() {
        Ok(input) => decide(&input, &Surroundings::from_process(&input)),
        Err(error) => Verdict::silent(format!("silent: {error}")),
    };
    verdict.deliver("context-monitor");
}
