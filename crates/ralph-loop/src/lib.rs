//! The command line: parses arguments, runs commands and prints their output.
//!
//! The engine makes all decisions about stories. Standard output carries results (with `--output json` and `--json`
//! only JSON), standard error the errors.

pub mod archive;
mod cli;
mod command_error;
mod commands;
mod dialogue;
mod display;
mod doctor;
mod experience;
mod git_settings;
mod guard;
mod json;
mod notices;
mod preconditions;
mod programs;
mod project_root;
pub mod report;
mod resolve;
pub mod run_report;
pub mod scaffold;
mod signals;
pub mod simulated_agent;
pub mod status;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;

use cli::Command;
use project::orders::Order;

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
    let done = match cli.command {
        // `cli::parse` moves the options of `run` to `cli.run`.
        None | Some(Command::Run(_)) => commands::run(&cli.run),
        Some(Command::Prompt(args)) => commands::prompt(&args),
        Some(Command::Plan(args)) => commands::plan(&args),
        Some(Command::Build(args)) => commands::build(&args),
        Some(Command::Draft(args)) => commands::draft(&args),
        Some(Command::Init(args)) => commands::init(&args),
        Some(Command::Steer(args)) => commands::steer(&args),
        Some(Command::Pause(args)) => commands::give(&args, Order::Pause),
        Some(Command::Resume(args)) => commands::give(&args, Order::GoOn),
        Some(Command::Skip(args)) => commands::give(&args.order, Order::Skip { story: args.story }),
        Some(Command::Stop(args)) => commands::give(&args, Order::Stop),
        Some(Command::Watch(args)) => commands::watch(&args),
        Some(Command::Report(args)) => commands::report(&args),
        Some(Command::Runs(args)) => commands::runs(&args),
        Some(Command::Serve(args)) => commands::serve(&args),
        Some(Command::Status(args)) => commands::status(&args),
        Some(Command::Validate(args)) => commands::validate(&args),
        Some(Command::Settings(args)) => commands::settings(&args),
        Some(Command::Doctor(args)) => commands::doctor(&args),
        Some(Command::Archive(args)) => commands::archive(&args),
        Some(Command::Notify(args)) => commands::notify(&args),
        Some(Command::Demo(args)) => commands::demo(&args),
        Some(Command::Containerfile) => commands::containerfile(),
        Some(Command::Completions(args)) => commands::completions(&args),
        Some(Command::Man(args)) => commands::man(&args),
    };
    done.unwrap_or_else(|error| command_error::report(&error, &mut anstream::stderr()))
}
