//! Builds a git command with settings, environment and input, and runs it.
//!
//! Input comes from a file, so that no pipe must be fed while another is read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::git::{Access, GitOutput, RunningGit, git};
use crate::repo_path::RepoPath;
use crate::{VcsError, WorkTree};

#[derive(Debug)]
pub(crate) struct GitCall {
    command: &'static str,
    git: Command,
    access: Access,
    /// Why it must not start.
    refused: Option<VcsError>,
    tree: Option<WorkTree>,
}

impl GitCall {
    /// A git that only reads.
    pub(crate) fn read(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, &[], command)
    }

    /// A git that writes, without the project's hooks.
    pub(crate) fn write(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, &[], command).writing()
    }

    /// `settings` as `name=value`, passed with `-c`.
    pub(crate) fn with_settings(tree: &WorkTree, settings: &[&str], command: &'static str) -> Self {
        let mut git = git(&tree.top);
        git.args(settings.iter().flat_map(|setting| ["-c", setting])).arg(command);
        let refused = tree.enforce_control_files().err();
        let call = Self { command, git, access: Access::Read, refused, tree: Some(tree.clone()) };
        call.in_repository(&tree.top, &tree.git_dir, &tree.common_dir)
    }

    /// The repository was determined when the work tree was opened, because an agent can write
    /// settings and files that name another one.
    pub(crate) fn in_repository(self, top: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        self.env("GIT_DIR", git_dir).env("GIT_COMMON_DIR", common_dir).env("GIT_WORK_TREE", top)
    }

    pub(crate) fn anywhere(folder: &Path, command: &'static str) -> Self {
        let mut git = git(folder);
        git.arg(command);
        Self { command, git, access: Access::Read, refused: None, tree: None }
    }

    pub(crate) fn writing(mut self) -> Self {
        self.git.env_remove("GIT_OPTIONAL_LOCKS");
        self.access = Access::Write;
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.git.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.git.env(name, value);
        self
    }

    pub(crate) fn input(mut self, bytes: &[u8]) -> Result<Self, VcsError> {
        self.git.stdin(Stdio::from(file_with(bytes).map_err(VcsError::NoTemporaryFile)?));
        Ok(self)
    }

    pub(crate) fn start(self) -> Result<RunningGit, VcsError> {
        match self.refused {
            Some(error) => Err(error),
            None => RunningGit::spawn(self.git, self.command, self.access, self.tree),
        }
    }

    pub(crate) fn answer(self, deadline: Instant) -> Result<GitOutput, VcsError> {
        self.start()?.answer(deadline)
    }

    /// Standard output, if git succeeds.
    pub(crate) fn output(self, deadline: Instant) -> Result<Vec<u8>, VcsError> {
        self.start()?.output(deadline)
    }

    /// Like `output`; more than `limit` bytes are an error.
    pub(crate) fn output_within(
        self,
        limit: usize,
        deadline: Instant,
    ) -> Result<Vec<u8>, VcsError> {
        self.start()?.output_within(limit, deadline)
    }

    /// The single line of output, if git succeeds.
    pub(crate) fn line(self, deadline: Instant) -> Result<String, VcsError> {
        let output = self.output(deadline)?;
        Ok(String::from_utf8_lossy(&output).trim_end().to_owned())
    }

    /// Standard output, or `None` on exit code 1, which means "no" or "not set".
    pub(crate) fn output_if_yes(self, deadline: Instant) -> Result<Option<Vec<u8>>, VcsError> {
        let command = self.command;
        let answer = self.answer(deadline)?;
        match answer.status.code() {
            Some(0) => Ok(Some(answer.stdout)),
            Some(1) => Ok(None),
            _ => Err(answer.failure(command)),
        }
    }
}

/// Every name followed by a NUL byte.
pub(crate) fn zero_ended<'a>(names: impl IntoIterator<Item = &'a RepoPath>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in names {
        bytes.extend_from_slice(&name.bytes());
        bytes.push(0);
    }
    bytes
}

/// Splits NUL-terminated names.
pub(crate) fn names(output: &[u8]) -> Vec<RepoPath> {
    output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(RepoPath::new).collect()
}

fn file_with(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
