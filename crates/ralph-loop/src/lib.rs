//! The command line: parses arguments, runs commands and prints their output.
//!
//! The engine makes all decisions about stories. Standard output carries results (with `--output json` and `--json`
//! only JSON), standard error the errors.

mod archive;
mod cli;
mod command_error;
mod commands;
mod dialogue;
mod display;
mod doctor;
mod forge_access;
mod json;
mod keep_awake;
mod notices;
mod preconditions;
mod programs;
mod project_root;
mod pull_request;
mod report;
mod resolve;
mod run_export;
mod run_report;
mod scaffold;
mod signals;
pub mod simulated_agent;
mod status;
mod sync;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;

/// The whole program, from its arguments to its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    // Logs the git processes of a run.
    let _ = env_logger::try_init_from_env(env_logger::Env::new().filter("RALPH_LOG"));
    let cli = match cli::parse(args) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                command_error::say(&error.render().ansi().to_string(), &mut anstream::stderr());
            } else {
                // Help and version: clap formats them.
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    commands::execute(cli)
        .unwrap_or_else(|error| command_error::report(&error, &mut anstream::stderr()))
}
