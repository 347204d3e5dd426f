//! One git with everything it needs, from its settings to what it reads, run to its end.
//!
//! What it reads comes from a file: nobody has to feed a pipe while reading another.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::git::{Access, Answer, RunningGit, git};
use crate::repo_path::RepoPath;
use crate::{VcsError, WorkTree};

#[derive(Debug)]
pub(crate) struct GitCall {
    command: &'static str,
    git: Command,
    access: Access,
    /// Why it may not start.
    refused: Option<VcsError>,
    tree: Option<WorkTree>,
}

impl GitCall {
    /// A git that only looks.
    pub(crate) fn read(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, &[], command)
    }

    /// A git that writes, and that no hook of the project can stop.
    pub(crate) fn write(tree: &WorkTree, command: &'static str) -> Self {
        Self::with_settings(tree, &[], command).writing()
    }

    /// `settings` as `name=value`, which come before git's command.
    pub(crate) fn with_settings(tree: &WorkTree, settings: &[&str], command: &'static str) -> Self {
        let mut git = git(&tree.top);
        git.args(settings.iter().flat_map(|setting| ["-c", setting])).arg(command);
        let refused = tree.enforce_control_files().err();
        let call = Self { command, git, access: Access::Read, refused, tree: Some(tree.clone()) };
        call.in_repository(&tree.top, &tree.git_dir, &tree.common_dir)
    }

    /// Which repository it is was decided when the work tree was opened: an agent can write settings and
    /// files that name another one.
    pub(crate) fn in_repository(self, top: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        self.env("GIT_DIR", git_dir).env("GIT_COMMON_DIR", common_dir).env("GIT_WORK_TREE", top)
    }

    /// A git that needs no repository.
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

    pub(crate) fn answer(self, deadline: Instant) -> Result<Answer, VcsError> {
        self.start()?.answer(deadline)
    }

    /// What git printed, if it ends well.
    pub(crate) fn output(self, deadline: Instant) -> Result<Vec<u8>, VcsError> {
        self.start()?.output(deadline)
    }

    /// The same of at most `limit` bytes; more is an error.
    pub(crate) fn output_within(
        self,
        limit: usize,
        deadline: Instant,
    ) -> Result<Vec<u8>, VcsError> {
        self.start()?.output_within(limit, deadline)
    }

    /// What git printed on its one line, if it ends well.
    pub(crate) fn line(self, deadline: Instant) -> Result<String, VcsError> {
        let output = self.output(deadline)?;
        Ok(String::from_utf8_lossy(&output).trim_end().to_owned())
    }

    /// What git printed, or nothing if it says no, which it does by ending with 1.
    pub(crate) fn output_if_yes(self, deadline: Instant) -> Result<Option<Vec<u8>>, VcsError> {
        let command = self.command;
        let answer = self.answer(deadline)?;
        match answer.status.code() {
            Some(0) => Ok(Some(answer.printed)),
            Some(1) => Ok(None),
            _ => Err(answer.failure(command)),
        }
    }
}

/// Every name as git has it, with a zero byte after it.
pub(crate) fn zero_ended<'a>(names: impl IntoIterator<Item = &'a RepoPath>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in names {
        bytes.extend_from_slice(&name.bytes());
        bytes.push(0);
    }
    bytes
}

/// The other way round.
pub(crate) fn names(output: &[u8]) -> Vec<RepoPath> {
    output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(RepoPath::new).collect()
}

fn file_with(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
