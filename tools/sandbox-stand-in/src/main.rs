//! Simulates `sbx` or `docker sandbox`: see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sandbox_stand_in::run_sandbox(std::env::args_os()))
}
