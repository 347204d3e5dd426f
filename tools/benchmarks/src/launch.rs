//! Starts a program as Claude Code starts a hook: no shell, input on stdin.
//!
//! Input and output are files, so that no thread serves a pipe during the measurement.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A program and its first arguments.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

impl Program {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), arguments: Vec::new() }
    }

    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(OsString::from));
        self
    }

    pub(crate) fn with_path(mut self, path: &Path) -> Self {
        self.arguments.push(path.into());
        self
    }
}

/// Everything that must be the same in each run.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    pub(crate) program: Program,
    pub(crate) cwd: PathBuf,
    pub(crate) stdin: PathBuf,
    /// The output file; every run empties it first.
    pub(crate) stdout: PathBuf,
    /// The whole environment, independent of the user's.
    pub(crate) env: Vec<(String, OsString)>,
}

impl Invocation {
    /// From just before the start to just after the end.
    pub(crate) fn time(&self) -> io::Result<Duration> {
        let mut command = self.command(Stdio::null())?;
        let start = Instant::now();
        let status = command.status()?;
        let taken = start.elapsed();
        self.succeeded(status)?;
        Ok(taken)
    }

    /// Runs it and accepts every exit code. Some programs report findings with it.
    pub(crate) fn outcome(&self) -> io::Result<ExitStatus> {
        self.command(Stdio::null())?.status()
    }

    /// Starts it and returns at once.
    pub(crate) fn spawn(&self) -> io::Result<Child> {
        self.command(Stdio::null())?.spawn()
    }

    /// The command with a pipe for its output.
    pub(crate) fn piped(&self) -> io::Result<Command> {
        let mut command = self.command(Stdio::null())?;
        command.stdout(Stdio::piped());
        Ok(command)
    }

    /// The output of the program.
    pub(crate) fn answer(&self) -> io::Result<String> {
        let status = self.command(Stdio::inherit())?.status()?;
        self.succeeded(status)?;
        std::fs::read_to_string(&self.stdout)
    }

    fn command(&self, stderr: Stdio) -> io::Result<Command> {
        let mut command = command(&self.program.path);
        command
            .args(&self.program.arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(File::open(&self.stdin)?)
            .stdout(File::create(&self.stdout)?)
            .stderr(stderr);
        Ok(command)
    }

    fn succeeded(&self, status: ExitStatus) -> io::Result<()> {
        if status.success() {
            return Ok(());
        }
        let (program, arguments) = (self.program.path.display(), &self.program.arguments);
        Err(io::Error::other(format!("{program} {arguments:?} ended with {status}")))
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts what is measured")]
fn command(program: &Path) -> Command {
    Command::new(program)
}
