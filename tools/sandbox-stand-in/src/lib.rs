//! Simulates the command line of Docker Sandboxes: `sbx`, or `docker sandbox` if it is called
//! `docker`. Its answers are those that Docker documents for `sbx` 0.39 and Docker Desktop 4.79.
//!
//! There is no virtual machine. Commands run on the host, in the project's folder, with an empty
//! environment and a folder that replaces `/home/agent`. State and recorded calls are in a folder
//! beside the program ([`SandboxStandIn`]).

mod answers;
mod call;
mod stand_in;
mod store;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use self::stand_in::{SandboxCall, SandboxStandIn};

use self::answers::CommandRunner;
use self::call::Call;
use self::store::Store;

/// The command-line dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CliDialect {
    Sbx,
    DockerSandbox,
}

/// Errors; the program prints them on stderr and exits with 1.
#[derive(Debug, thiserror::Error)]
enum SandboxError {
    #[error("ERROR: {0}")]
    Refused(String),
    #[error("ERROR: {0}")]
    Io(#[from] io::Error),
}

fn refused<T>(why: impl Into<String>) -> Result<T, SandboxError> {
    Err(SandboxError::Refused(why.into()))
}

/// Runs the command of the arguments (the program name first) and returns the exit code.
pub fn run_sandbox(args: impl IntoIterator<Item = OsString>) -> u8 {
    let mut args = args.into_iter();
    let called = PathBuf::from(args.next().unwrap_or_default());
    answer(&called, args.collect()).unwrap_or_else(|complaint| {
        // If stderr is closed too, only the exit code reports the error.
        let _ = writeln!(io::stderr(), "{complaint}");
        1
    })
}

fn answer(called: &Path, mut args: Vec<OsString>) -> Result<u8, SandboxError> {
    let store = Store::beside(&found(called)?);
    let dialect = match called.file_stem() {
        Some(name) if name == "docker" => CliDialect::DockerSandbox,
        _ => CliDialect::Sbx,
    };
    let words = args.clone();
    if dialect == CliDialect::DockerSandbox {
        if args.first().is_none_or(|first| first != "sandbox") {
            return refused("docker: unknown command");
        }
        args.remove(0);
    }
    let call = Call::parse(dialect, args)?;
    let input = call.read_input()?;
    store.record(&words, &input)?;
    if store.is_to_fail(call.step())? {
        return refused(format!("the stand-in is set to fail at {}", call.step()));
    }
    CommandRunner { dialect, store: &store }.answer(call, input)
}

/// A name without a folder is looked up in `PATH`.
fn found(called: &Path) -> Result<PathBuf, SandboxError> {
    if called.components().count() > 1 {
        return Ok(called.to_path_buf());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(called));
    match found.into_iter().find(|path| path.exists()) {
        Some(found) => Ok(found),
        None => refused(format!("{} is not in PATH", called.display())),
    }
}
