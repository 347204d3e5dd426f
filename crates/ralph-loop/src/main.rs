//! The program `ralph-loop`. Everything it does is in the library.

use std::process::ExitCode;

// Programs for Linux are linked with musl, whose own allocator would halve the rate at which a stream is
// read.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    supervise::keep_inherited_files();
    // This program is also what keeps an eye on its children, started a second time.
    supervise::keeper::run_if_asked();
    // And what starts a command inside a sandbox.
    sandbox_network::entry::run_if_asked();
    if let Some(ended) = ralph_loop::simulated_agent::run_if_called(std::env::args_os()) {
        return ended;
    }
    // What counts is what this process remembers.
    supervise::refuse_tracing();
    ralph_loop::main(std::env::args_os())
}
