//! Simulates `claude -p` without a model: see `simulator::agent`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(simulator::run_agent(std::env::args().skip(1)))
}
