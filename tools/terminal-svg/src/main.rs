//! `screen-picture --out FILE -- PROGRAM …`: runs a program on a terminal and draws what it showed.

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
