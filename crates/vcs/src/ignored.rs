//! Determines which paths git ignores, and edits `.git/info/exclude`, the ignore list of this
//! repository only.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::Instant;

use bounded_read::FileError;

use crate::git_call::{GitCall, zero_ended};
use crate::repo_path::{OnDisk, RepoPath};
use crate::vcs_error::disk;
use crate::{Result, WorkTree};

const LARGEST: u64 = 16 * 1024 * 1024;

impl WorkTree {
    /// The ignored ones among `paths`. Tracked files and contents of nested repositories are never
    /// ignored.
    pub fn ignores<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<Vec<String>> {
        let mut asked = Vec::new();
        for path in self.locate(paths)? {
            if self.look(&path)? != OnDisk::InsideRepository && self.obstacle(&path)?.is_none() {
                asked.push(path);
            }
        }
        let ignored = self.ignored(&asked, deadline)?;
        let is_ignored =
            |path: &&str| self.prefix.locate(path).is_some_and(|path| ignored.contains(&path));
        Ok(paths.iter().map(AsRef::as_ref).filter(is_ignored).map(str::to_owned).collect())
    }

    /// No path may be in another repository or behind a symbolic link: git would fail for all of
    /// them.
    pub(crate) fn ignored(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<HashSet<RepoPath>> {
        let mut ignored = self.ignored_by_name(paths, deadline)?;
        if !ignored.is_empty() {
            let indexed = self.indexed(deadline)?;
            ignored.retain(|path| !is_tracked(path, &indexed));
        }
        Ok(ignored)
    }

    /// Like `ignored`, but also for tracked paths.
    pub(crate) fn ignored_by_name(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<HashSet<RepoPath>> {
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        // git reads these as pathspecs, which cannot be switched off. A leading `./` disables
        // pathspec magic.
        let asked: Vec<RepoPath> =
            paths.iter().map(|path| RepoPath(format!("./{}", path.0))).collect();
        let call = GitCall::read(self, "check-ignore").args(["--no-index", "-z", "--stdin"]);
        let call = call.input(&zero_ended(&asked))?;
        let Some(printed) = call.output_if_yes(deadline)? else {
            return Ok(HashSet::new());
        };
        let names = printed.split(|byte| *byte == 0).filter_map(|name| name.strip_prefix(b"./"));
        Ok(names.map(RepoPath::new).collect())
    }

    /// The ignored files of the project that match the patterns in `list`, a file of the same syntax as `.gitignore`.
    pub fn ignored_and_listed(&self, list: &Path, deadline: Instant) -> Result<Vec<String>> {
        let option = [OsStr::new("--exclude-from"), list.as_os_str()];
        let untracked = || GitCall::read(self, "ls-files").args(["--others", "--ignored", "-z"]);
        let listed: BTreeSet<RepoPath> = untracked().args(option).names(deadline)?;
        if listed.is_empty() {
            return Ok(Vec::new());
        }
        let ignored: HashSet<RepoPath> =
            untracked().args(["--exclude-standard"]).names(deadline)?;
        let both = listed.iter().filter(|path| ignored.contains(path));
        Ok(both.map(|path| self.project_path(path)).collect())
    }

    /// Adds project paths to the list. A folder ends in `/`.
    pub fn exclude<S: AsRef<str>>(&self, paths: &[S]) -> Result<()> {
        let path = self.common_dir.join("info/exclude");
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
}

/// The path itself or something in it.
fn is_tracked(path: &RepoPath, indexed: &BTreeSet<RepoPath>) -> bool {
    let first_inside = indexed.range(path.inside()..).next();
    indexed.contains(path) || first_inside.is_some_and(|found| path.holds(found))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Absent) => Ok(None),
        Err(FileError::Io(error)) => Err(disk(path)(error)),
        Err(error) => Err(disk(path)(io::Error::other(error.to_string()))),
    }
}

fn write(path: &Path, contents: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, contents))
        .map_err(disk(path))
}
