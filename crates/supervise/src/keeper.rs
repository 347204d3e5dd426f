//! The keeper: the runner's own program, started again as a process between runner and child.
//!
//! It survives a killed runner and then ends the child and its tree. It ends processes that the
//! child leaves behind, and reports how the child ended. A program that runs children calls
//! [`run_if_asked`] first in `main`.

#[cfg(unix)]
mod args;
#[cfg(unix)]
mod process_tree;
mod report;
#[cfg(unix)]
mod service;
#[cfg(unix)]
#[cfg_attr(target_os = "linux", path = "keeper/tree_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "keeper/tree_group.rs")]
mod tree;

use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
pub(crate) use args::KeeperArgs;
pub(crate) use report::{Finished, Report};

/// The first argument of a keeper.
pub const ARGUMENT: &str = "__keep";

/// A program that calls [`run_if_asked`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper {
    pub program: PathBuf,
}

impl Keeper {
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// The running program. On Linux the file may have been replaced since its start.
    pub fn this_program() -> io::Result<Self> {
        let running = Path::new("/proc/self/exe");
        if running.exists() {
            return Ok(Self::at(running));
        }
        std::env::current_exe().map(Self::at)
    }
}

/// Runs the keeper and never returns, if the arguments say so.
pub fn run_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == ARGUMENT) {
        std::process::exit(serve(args));
    }
}

#[cfg(unix)]
fn serve(args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    const USAGE: i32 = 64;
    match KeeperArgs::from_args(args) {
        Some(keeper_args) => service::serve(&keeper_args).map_or(1, |()| 0),
        None => USAGE,
    }
}

#[cfg(not(unix))]
fn serve(_args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    1
}
