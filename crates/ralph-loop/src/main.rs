//! The program `ralph-loop`. The library contains everything it does.

use std::process::ExitCode;

// Linux builds use musl, whose allocator halves the speed of stream reading.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    supervise::close_inherited_files_on_exec();
    // A second process of this program is the keeper of its children.
    supervise::keeper::run_if_asked();
    // It is also the entry of a sandbox, which starts the command inside.
    sandbox_network::entry::run_if_asked();
    if let Some(ended) = ralph_loop::simulated_agent::run_if_called(std::env::args_os()) {
        return ended;
    }
    // A debugger could change the judgement of this process.
    supervise::refuse_tracing();
    ralph_loop::main(std::env::args_os())
}
