//! Simulates `sbx` or `docker sandbox`: see `simulator::sandbox`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(simulator::run_sandbox(std::env::args_os()))
}
