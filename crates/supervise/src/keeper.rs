//! The keeper: the runner's own program, started again to stand between runner and child.
//!
//! It outlives a runner that is killed and then ends the child and its tree; it ends what the child
//! leaves behind; and it reports how the child ended. A program that runs children calls
//! [`run_if_asked`] first thing in its `main`.

#[cfg(unix)]
mod orders;
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
pub(crate) use orders::Orders;
pub(crate) use report::{Finished, Prompting, Report};

/// The first argument of a keeper.
pub const ARGUMENT: &str = "__keep";

/// A program that calls [`run_if_asked`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper {
    program: PathBuf,
}

impl Keeper {
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// The running program. On Linux it may have been replaced on disk since it was started.
    pub fn this_program() -> io::Result<Self> {
        let running = Path::new("/proc/self/exe");
        if running.exists() {
            return Ok(Self::at(running));
        }
        std::env::current_exe().map(Self::at)
    }

    #[cfg(unix)]
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }
}

/// Becomes the keeper and never returns, if the arguments say so.
pub fn run_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == ARGUMENT) {
        std::process::exit(serve(args));
    }
}

#[cfg(unix)]
fn serve(args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    const USAGE: i32 = 64;
    match Orders::from_args(args) {
        Some(orders) => service::serve(&orders).map_or(1, |()| 0),
        None => USAGE,
    }
}

#[cfg(not(unix))]
fn serve(_args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    1
}
