//! `terminal-svg --out FILE -- PROGRAM …`: runs a program in a terminal and draws its screen.

use std::process::ExitCode;

#[cfg(unix)]
mod command_line;

#[cfg(unix)]
fn main() -> ExitCode {
    command_line::main()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
