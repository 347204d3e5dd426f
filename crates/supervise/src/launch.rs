//! The parameters of a child process: program, streams, time limits, and the shell of the user's commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use strum::{EnumString, IntoStaticStr};

use crate::Keeper;

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Recipient {
    #[default]
    Child,
    /// The first program in the sandbox, because bubblewrap would end everything inside at once.
    /// The child itself on other systems than Linux.
    InSandbox,
}

/// The signal that asks a child to clean up and exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PoliteSignal {
    Interrupt,
    Terminate,
}

/// Time limits, and the maximum line length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Total time.
    pub total: Option<Duration>,
    /// Without any output, on stdout or stderr.
    pub idle: Option<Duration>,
    /// From the polite signal to the kill.
    pub grace: Duration,
    /// Without output after the answer is complete; replaces `idle`.
    pub linger: Duration,
    /// For the pipes after the end of the child, if another process holds them.
    pub drain: Duration,
    /// In bytes. The rest of a longer line is counted and dropped.
    pub longest_line: usize,
    /// Reported only.
    pub soft: SoftLimits,
}

/// Limits that are only reported: the child continues. Both count from the start of the child. One at or after a hard limit is never reported; zero is
/// reported at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoftLimits {
    /// For this child only.
    pub own: Option<Duration>,
    /// The rest of a time that the child shares with others.
    pub shared: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftLimit {
    Own,
    Shared,
}

impl SoftLimits {
    pub(crate) fn iter(self) -> impl Iterator<Item = (SoftLimit, Duration)> {
        let all = [(SoftLimit::Own, self.own), (SoftLimit::Shared, self.shared)];
        all.into_iter().filter_map(|(which, long)| Some((which, long?)))
    }

    pub(crate) fn take(&mut self, which: SoftLimit) {
        match which {
            SoftLimit::Own => self.own = None,
            SoftLimit::Shared => self.shared = None,
        }
    }
}

/// The shell that runs the user's commands: the program, and its flag for a command line.
#[derive(Debug, Clone, Copy)]
pub struct Shell {
    pub program: &'static str,
    pub flag: &'static str,
}

impl Shell {
    pub fn of_this_system() -> Self {
        if cfg!(windows) {
            Self { program: "cmd", flag: "/C" }
        } else {
            Self { program: "/bin/sh", flag: "-c" }
        }
    }
}

impl Launch {
    pub(crate) fn set_environment(&self, command: &mut Command) {
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }
}
