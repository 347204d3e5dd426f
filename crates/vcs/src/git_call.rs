//! Builds a git command with settings, environment and input, and runs it.
//!
//! Input comes from a file, so that no pipe must be fed while another is read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::git::{Access, GitOutput, LARGEST_OUTPUT, RunningGit, git, git_to_remote};
use crate::repo_path::RepoPath;
use crate::{Result, VcsError, WorkTree};

const NO_SETTINGS: &[&str] = &[];

#[derive(Debug)]
pub(crate) struct GitCall {
    pub(crate) command: &'static str,
    pub(crate) git: Command,
    pub(crate) access: Access,
    /// Of the output.
    pub(crate) limit: usize,
    /// Why it must not start.
    refused: Option<VcsError>,
    pub(crate) tree: Option<WorkTree>,
}

impl GitCall {
    /// A git that only reads.
    pub(crate) fn read(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, NO_SETTINGS, command)
    }

    /// A git that writes, without the project's hooks.
    pub(crate) fn write(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, NO_SETTINGS, command).writing()
    }

    /// `settings` as `name=value`, passed with `-c`.
    pub(crate) fn with_settings<S: AsRef<str>>(
        tree: &WorkTree,
        settings: &[S],
        command: &'static str,
    ) -> Self {
        let mut call = Self::new(&tree.top, settings, command);
        call.refused = tree.enforce_control_files().err();
        call.tree = Some(tree.clone());
        call.in_repository(&tree.top, &tree.git_dir, &tree.common_dir)
    }

    /// The repository was determined when the work tree was opened, because an agent can write
    /// settings and files that name another one.
    pub(crate) fn in_repository(self, top: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        self.env("GIT_DIR", git_dir).env("GIT_COMMON_DIR", common_dir).env("GIT_WORK_TREE", top)
    }

    pub(crate) fn anywhere(folder: &Path, command: &'static str) -> Self {
        Self::new(folder, NO_SETTINGS, command)
    }

    /// A git that reaches a server by the settings of the repository in `folder` alone.
    pub(crate) fn to_remote(folder: &Path, command: &'static str) -> Self {
        let alone = Self::of(git_to_remote(folder), NO_SETTINGS, command).writing();
        alone.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    fn new<S: AsRef<str>>(folder: &Path, settings: &[S], command: &'static str) -> Self {
        Self::of(git(folder), settings, command)
    }

    fn of<S: AsRef<str>>(mut git: Command, settings: &[S], command: &'static str) -> Self {
        git.args(settings.iter().flat_map(|setting| ["-c", setting.as_ref()])).arg(command);
        let (access, limit) = (Access::Read, LARGEST_OUTPUT);
        Self { command, git, access, limit, refused: None, tree: None }
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

    pub(crate) fn input(mut self, bytes: &[u8]) -> Result<Self> {
        self.git.stdin(Stdio::from(file_with(bytes).map_err(VcsError::NoTemporaryFile)?));
        Ok(self)
    }

    /// More than `limit` bytes of output are an error.
    pub(crate) fn at_most(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    pub(crate) fn start(self) -> Result<RunningGit> {
        match self.refused {
            Some(error) => Err(error),
            None => RunningGit::spawn(self),
        }
    }

    pub(crate) fn answer(self, deadline: Instant) -> Result<GitOutput> {
        self.start()?.answer(deadline)
    }

    /// Standard output, if git succeeds.
    pub(crate) fn output(self, deadline: Instant) -> Result<Vec<u8>> {
        self.start()?.output(deadline)
    }

    pub(crate) fn run(self, deadline: Instant) -> Result<()> {
        self.output(deadline).map(drop)
    }

    pub(crate) fn text(self, deadline: Instant) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.output(deadline)?).into_owned())
    }

    /// The paths that git prints, each followed by a NUL byte.
    pub(crate) fn names<C: FromIterator<RepoPath>>(self, deadline: Instant) -> Result<C> {
        let output = self.output(deadline)?;
        let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(RepoPath::new).collect())
    }

    /// The single line of output, if git succeeds.
    pub(crate) fn line(self, deadline: Instant) -> Result<String> {
        Ok(self.text(deadline)?.trim_end().to_owned())
    }

    /// Standard output, or `None` on exit code 1, which means "no" or "not set".
    pub(crate) fn output_if_yes(self, deadline: Instant) -> Result<Option<Vec<u8>>> {
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

fn file_with(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
