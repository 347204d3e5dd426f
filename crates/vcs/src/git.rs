//! One running `git`: started, read to its end in bounded time, ended if it takes longer.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bounded_read::{StreamError, read_stream};

/// Names of a few hundred thousand files.
const LARGEST_OUTPUT: usize = 64 * 1024 * 1024;

/// As much of a complaint as anybody reads.
const LONGEST_COMPLAINT: u64 = 4096;

/// Between two looks at a git that has said everything and not ended yet.
const PACE: Duration = Duration::from_micros(100);

#[derive(Debug, thiserror::Error)]
pub enum VcsError {
    #[error("cannot start git: {0}")]
    NotStarted(io::Error),
    #[error("git {command} failed: {message}")]
    Failed { command: &'static str, message: String },
    #[error("git {command} did not answer: {error}")]
    NoAnswer { command: &'static str, error: StreamError },
}

#[derive(Debug)]
pub(crate) struct RunningGit {
    child: Child,
    command: &'static str,
    /// Where its complaints go: a file, because a pipe that nobody reads would stop it.
    complaints: Option<File>,
    started: Instant,
}

impl RunningGit {
    /// Starts `git command args` in `folder` and returns at once.
    pub(crate) fn start(
        folder: &Path,
        command: &'static str,
        args: &[&str],
    ) -> Result<Self, VcsError> {
        let complaints = tempfile::tempfile().ok();
        let stderr = complaints.as_ref().and_then(|file| file.try_clone().ok());
        let child = git(folder)
            .arg(command)
            .args(args)
            .stderr(stderr.map_or_else(Stdio::null, Stdio::from))
            .spawn()
            .map_err(VcsError::NotStarted)?;
        Ok(Self { child, command, complaints, started: Instant::now() })
    }

    /// What git printed, if it ends well and before the deadline.
    pub(crate) fn output(mut self, deadline: Instant) -> Result<Vec<u8>, VcsError> {
        let command = self.command;
        let no_answer = |error| VcsError::NoAnswer { command, error };
        let patience = deadline.saturating_duration_since(Instant::now());
        let printed = match self.child.stdout.take() {
            Some(stdout) => read_stream(stdout, LARGEST_OUTPUT, patience).map_err(no_answer)?,
            None => Vec::new(),
        };
        let status = self.end(deadline).map_err(no_answer)?;
        if status.success() {
            return Ok(printed);
        }
        let message = self.first_complaint().unwrap_or_else(|| status.to_string());
        Err(VcsError::Failed { command, message })
    }

    fn end(&mut self, deadline: Instant) -> Result<ExitStatus, StreamError> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                return Err(StreamError::TimedOut(self.started.elapsed()));
            }
            std::thread::sleep(PACE);
        }
    }

    fn first_complaint(&mut self) -> Option<String> {
        let file = self.complaints.as_mut()?;
        file.seek(SeekFrom::Start(0)).ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST_COMPLAINT).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        text.lines().find(|line| !line.is_empty()).map(str::to_owned)
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
        // The commits are the ones that were made, not what somebody put in their place.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}
