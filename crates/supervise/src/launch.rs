//! The parameters of a child process.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Keeper, Limits};

#[derive(Debug, Clone)]
pub struct Launch {
    /// The process between runner and child. Unused on Windows.
    pub keeper: Keeper,
    /// A path, relative to `folder` or absolute, or a name in `PATH`.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Variables to set (`Some`) or remove (`None`) in the inherited environment.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub folder: PathBuf,
    /// Its standard input, which it may ignore.
    pub input: Vec<u8>,
    pub limits: Limits,
    pub polite: PoliteSignal,
    pub recipient: Recipient,
    pub stdout: Stdout,
    pub orphans: Orphans,
}

/// The kind of the child's standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdout {
    /// Scripts can write to `/dev/stdout`. On Linux every process of the same user can write into
    /// it through `/proc/<pid>/fd`.
    Pipe,
    /// Only the child and processes that inherit it can write into it. A pipe on Windows.
    Socket,
}

/// Treatment of the processes of a killed keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orphans {
    /// This process ends them. Until the child has ended, it may start programs only through this
    /// crate: others would be taken for orphans.
    End,
    /// They continue to run.
    Leave,
}

/// The receiver of the polite signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recipient {
    #[default]
    Child,
    /// The first program in the sandbox, because bubblewrap would end everything inside at once.
    /// The child itself on other systems than Linux.
    InSandbox,
}

/// The signal that asks a child to clean up and exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoliteSignal {
    Interrupt,
    Terminate,
}
