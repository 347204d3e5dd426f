//! A child to be started.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Keeper, Limits};

#[derive(Debug, Clone)]
pub struct Launch {
    /// Stands between runner and child. Not used on Windows.
    pub keeper: Keeper,
    /// A path, relative to `folder` if it is not absolute, or a name to be found in `PATH`.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Set (`Some`) or removed (`None`), on top of the inherited environment.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub folder: PathBuf,
    /// Its standard input, which it may read or not.
    pub input: Vec<u8>,
    pub limits: Limits,
    pub polite: PoliteSignal,
    pub recipient: Recipient,
    pub stdout: Stdout,
    pub orphans: Orphans,
}

/// What the child's standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdout {
    /// Scripts can write to `/dev/stdout`. On Linux every process of the same user can write into it through
    /// `/proc/<pid>/fd`.
    Pipe,
    /// Only the child and the processes that inherit its output can write into it. A pipe on Windows.
    Socket,
}

/// What happens to the processes of a child whose keeper was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orphans {
    /// This process ends them. Until the child is gone, it may start programs only by this crate: others
    /// could not be distinguished from orphans.
    End,
    /// They go on.
    Leave,
}

/// Which process gets the polite signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recipient {
    #[default]
    Child,
    /// The first program inside: the child is bubblewrap, which would take everything inside with it at once. The
    /// child itself on other systems than Linux.
    InSandbox,
}

/// What lets a child clean up and say goodbye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoliteSignal {
    Interrupt,
    Terminate,
}
