//! Rules that stand in `.git` itself, for this repository alone: no commit shows them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bounded_read::FileError;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

const LARGEST: u64 = 16 * 1024 * 1024;

/// `info/attributes` as it was. Whoever writes it can make git commit something else than lies in
/// the work tree, and call that clean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateAttributes {
    path: PathBuf,
    contents: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes {
    AsTheyWere,
    PutBack,
}

impl WorkTree {
    /// Lets git overlook these paths of the project, in this repository alone. A pattern ends with
    /// `/` for a folder.
    pub fn exclude<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<(), VcsError> {
        let path = self.info_file("exclude", deadline)?;
        let old = read(&path)?.unwrap_or_default();
        let known: Vec<&[u8]> = old.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        let lines = paths.iter().map(|path| format!("/{}{}", self.prefix.0, path.as_ref()));
        let missing: String = lines
            .filter(|line| !known.contains(&line.as_bytes()))
            .map(|line| line + "\n")
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let separator: &[u8] = if old.is_empty() || old.ends_with(b"\n") { b"" } else { b"\n" };
        write(&path, &[&old, separator, missing.as_bytes()].concat())
    }

    pub fn private_attributes(&self, deadline: Instant) -> Result<PrivateAttributes, VcsError> {
        let path = self.info_file("attributes", deadline)?;
        let contents = read(&path)?;
        Ok(PrivateAttributes { path, contents })
    }

    /// As they were, and every file looked at anew by them.
    pub fn keep_attributes(
        &self,
        were: &PrivateAttributes,
        deadline: Instant,
    ) -> Result<Attributes, VcsError> {
        match read(&were.path) {
            Ok(now) if now == were.contents => return Ok(Attributes::AsTheyWere),
            Ok(None) => {}
            // Whatever stands in its place by now.
            _ => remove(&were.path).map_err(disk(&were.path))?,
        }
        if let Some(contents) = &were.contents {
            write(&were.path, contents)?;
        }
        let call = || Ok(GitCall::write(self, "add").args(["--renormalize", "--", "."]));
        self.change_index(deadline, call)?.well("add")?;
        Ok(Attributes::PutBack)
    }

    /// Takes back a setting that lets other programs than the runner look for the files in another
    /// folder, in either of the files that can hold it. Not in a submodule, where git needs it.
    pub fn forget_other_work_tree(&self, deadline: Instant) -> Result<(), VcsError> {
        let dot_git = self.top.join(".git");
        let is_linked =
            || std::fs::read_to_string(&dot_git).is_ok_and(|text| text.contains("/worktrees/"));
        if !dot_git.is_dir() && !is_linked() {
            return Ok(());
        }
        for scope in ["--worktree", "--local"] {
            let unset = [scope, "--unset-all", "core.worktree"];
            let answer = GitCall::write(self, "config").args(unset).answer(deadline)?;
            // It was not set.
            const NONE: i32 = 5;
            if answer.status.code() != Some(NONE) {
                answer.well("config")?;
            }
        }
        Ok(())
    }

    fn info_file(&self, name: &str, deadline: Instant) -> Result<PathBuf, VcsError> {
        let name = format!("info/{name}");
        let call = GitCall::read(self, "rev-parse").args(["--git-path", &name]);
        Ok(self.top.join(call.line(deadline)?))
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, VcsError> {
    match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Absent) => Ok(None),
        Err(FileError::Io(error)) => Err(disk(path)(error)),
        Err(error) => Err(disk(path)(io::Error::other(error.to_string()))),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path)? {
        found if found.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    }
}

fn write(path: &Path, contents: &[u8]) -> Result<(), VcsError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, contents))
        .map_err(disk(path))
}

fn disk(path: &Path) -> impl FnOnce(io::Error) -> VcsError {
    let path = path.to_path_buf();
    move |error| VcsError::Disk { path, error }
}
