//! One running `git`: started, read to its end in bounded time, ended if it takes longer.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bounded_read::{StreamError, read_stream};

/// Names of a few hundred thousand files.
const LARGEST_OUTPUT: usize = 64 * 1024 * 1024;
const LARGEST_COMPLAINT: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum VcsError {
    #[error("cannot start git: {0}")]
    NotStarted(std::io::Error),
    #[error("git {command} failed: {message}")]
    Failed { command: &'static str, message: String },
    #[error("git {command} did not answer: {error}")]
    NoAnswer { command: &'static str, error: StreamError },
}

#[derive(Debug)]
pub(crate) struct RunningGit {
    child: Child,
    command: &'static str,
}

impl RunningGit {
    /// Starts `git command args` in `folder` and returns at once.
    pub(crate) fn start(
        folder: &Path,
        command: &'static str,
        args: &[&str],
    ) -> Result<Self, VcsError> {
        let child = git(folder).arg(command).args(args).spawn().map_err(VcsError::NotStarted)?;
        Ok(Self { child, command })
    }

    /// What git printed, if it ends well and in time.
    pub(crate) fn output(mut self, patience: Duration) -> Result<Vec<u8>, VcsError> {
        let command = self.command;
        let no_answer = |error| VcsError::NoAnswer { command, error };
        let printed = match self.child.stdout.take() {
            Some(stdout) => read_stream(stdout, LARGEST_OUTPUT, patience).map_err(no_answer)?,
            None => Vec::new(),
        };
        let complaint = match self.child.stderr.take() {
            Some(stderr) => read_stream(stderr, LARGEST_COMPLAINT, patience).map_err(no_answer)?,
            None => Vec::new(),
        };
        let status = self.child.wait().map_err(|error| no_answer(error.into()))?;
        if status.success() {
            return Ok(printed);
        }
        let message = String::from_utf8_lossy(&complaint);
        let message = message.lines().next().unwrap_or("it said nothing").to_owned();
        Err(VcsError::Failed { command, message })
    }
}

impl Drop for RunningGit {
    /// A git that nobody waits for any more ends here and leaves no zombie. Both calls are harmless
    /// on a child that has been waited for.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        // A session started from a git hook inherits these, and they point elsewhere.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_PREFIX")
        // Looking must not take the index lock from somebody who works.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
