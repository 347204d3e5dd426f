//! The Stop hook of a loop session. Standard output carries one JSON object or nothing; what was
//! decided and why goes to standard error; the exit code is always 0, because any other would be
//! taken for a broken hook.

use std::io::Write;

use hook_io::HookInput;
use stop_guard::Surroundings;

fn main() {
    let mut stderr = std::io::stderr().lock();
    let input = hook_io::read_input().unwrap_or_else(|error| {
        let _ = writeln!(stderr, "stop-guard: {error}; going by the environment alone");
        HookInput::default()
    });
    let verdict = stop_guard::decide(&input, &Surroundings::from_process(&input));
    for line in &verdict.log {
        let _ = writeln!(stderr, "stop-guard: {line}");
    }
    // Whoever does not read the answer does not get one.
    let _ = verdict.output.write(std::io::stdout().lock());
}
