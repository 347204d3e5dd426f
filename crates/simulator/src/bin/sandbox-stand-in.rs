//! Answers like `sbx` or `docker sandbox`, without a machine behind it: see `simulator::sandbox`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(simulator::run_sandbox(std::env::args_os()))
}
