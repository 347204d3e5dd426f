//! Paths relative to the repository root, for git plumbing.
//!
//! They name single files, never patterns or whole folders, so nothing else is changed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use crate::git_call::{GitCall, names};
use crate::path_text::{self, on_disk};
use crate::status::Prefix;
use crate::{VcsError, WorkTree};

/// With `/`. A file sorts before the contents of a folder of the same name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RepoPath(pub(crate) String);

impl RepoPath {
    /// From git's bytes.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(path_text::from_bytes(bytes).into_owned())
    }

    pub(crate) fn bytes(&self) -> Cow<'_, [u8]> {
        path_text::to_bytes(&self.0)
    }

    /// The prefix of all paths in a folder of this name.
    pub(crate) fn inside(&self) -> Self {
        Self(format!("{}/", self.0))
    }

    /// Whether `path` is in a folder of this name.
    pub(crate) fn holds(&self, path: &Self) -> bool {
        path.0.strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The parent folders.
    pub(crate) fn above(&self) -> impl Iterator<Item = Self> {
        self.0.match_indices('/').map(|(slash, _)| Self(self.0[..slash].to_owned()))
    }
}

/// What the work tree has at a path. Nothing exists behind a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDisk {
    Absent,
    /// Or a symbolic link.
    File,
    /// A pipe, socket or device, which git cannot store.
    Special,
    Folder,
    /// A submodule or another nested repository.
    Repository,
    InsideRepository,
}

impl WorkTree {
    /// Sorted, without duplicates.
    pub(crate) fn locate<S: AsRef<str>>(&self, paths: &[S]) -> Result<Vec<RepoPath>, VcsError> {
        let located = paths.iter().map(|path| {
            let path = path.as_ref();
            self.prefix.locate(path).ok_or_else(|| VcsError::InvalidPath { path: path.to_owned() })
        });
        let mut located: Vec<RepoPath> = located.collect::<Result<_, _>>()?;
        located.sort();
        located.dedup();
        Ok(located)
    }

    /// The path as the caller gave it.
    pub(crate) fn project_path(&self, path: &RepoPath) -> String {
        self.prefix.relative_text(&path.0)
    }

    pub(crate) fn place(&self, path: &RepoPath) -> PathBuf {
        on_disk(&self.top, &path.0)
    }

    pub(crate) fn look(&self, path: &RepoPath) -> Result<OnDisk, VcsError> {
        let disk = |error| VcsError::Disk { path: self.place(path), error };
        let mut place = self.top.clone();
        let mut parts = path.0.split('/').peekable();
        while let Some(part) = parts.next() {
            place = on_disk(&place, part);
            let Some(metadata) = metadata(&place).map_err(disk)? else {
                return Ok(OnDisk::Absent);
            };
            let is_last = parts.peek().is_none();
            match (metadata.is_dir(), is_last) {
                (true, true) if is_repository(&place) => return Ok(OnDisk::Repository),
                (true, true) => return Ok(OnDisk::Folder),
                (true, false) if is_repository(&place) => return Ok(OnDisk::InsideRepository),
                (true, false) => {}
                (false, true) if metadata.is_file() || metadata.is_symlink() => {
                    return Ok(OnDisk::File);
                }
                (false, true) => return Ok(OnDisk::Special),
                (false, false) => return Ok(OnDisk::Absent),
            }
        }
        Ok(OnDisk::Absent)
    }

    /// The file or symbolic link in place of a parent folder.
    pub(crate) fn obstacle(&self, path: &RepoPath) -> Result<Option<RepoPath>, VcsError> {
        for folder in path.above() {
            let place = self.place(&folder);
            match metadata(&place).map_err(|error| VcsError::Disk { path: place, error })? {
                Some(metadata) if metadata.is_dir() => {}
                Some(_) => return Ok(Some(folder)),
                None => break,
            }
        }
        Ok(None)
    }

    pub(crate) fn indexed(&self, deadline: Instant) -> Result<BTreeSet<RepoPath>, VcsError> {
        let output = GitCall::read(self, "ls-files").args(["-z"]).output(deadline)?;
        Ok(names(&output).into_iter().collect())
    }
}

impl Prefix {
    /// The reverse of `relative`. `None` if it leaves the repository or is no file name.
    pub(crate) fn locate(&self, path: &str) -> Option<RepoPath> {
        let mut base = self.0.as_str();
        let mut rest = path;
        while let Some(above) = rest.strip_prefix("../") {
            let folder = base.strip_suffix('/')?;
            base = &base[..folder.rfind('/').map_or(0, |slash| slash + 1)];
            rest = above;
        }
        // git appends a slash to nested repositories.
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let is_name =
            |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
        let fits = rest.split('/').all(is_name) && !rest.contains('\0');
        fits.then(|| RepoPath(format!("{base}{rest}")))
    }
}

/// `None` if nothing exists at the path.
fn metadata(path: &Path) -> io::Result<Option<fs::Metadata>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_repository(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(prefix: &str, path: &str) -> Option<String> {
        Prefix(prefix.into()).locate(path).map(|path| path.0)
    }

    #[test]
    fn paths_are_found_from_the_top() {
        for (prefix, path, expected) in [
            ("", "a b", "a b"),
            ("apps/web/", "src/a", "apps/web/src/a"),
            ("apps/web/", "../../libs/b", "libs/b"),
            ("apps/web/", "../c", "apps/c"),
            ("", "nested/", "nested"),
            ("", ".gitignore", ".gitignore"),
        ] {
            assert_eq!(located(prefix, path).as_deref(), Some(expected), "{prefix} {path}");
        }
    }

    #[test]
    fn paths_outside_the_repository_and_in_the_git_folder_are_refused() {
        let bad =
            ["", "/etc/passwd", "../x", "a/../b", "./a", "a//b", ".git/config", "a/.GIT/x", "a\0b"];
        for path in bad {
            assert_eq!(located("", path), None, "{path}");
        }
        assert_eq!(located("apps/web/", "../../../x"), None);
    }

    #[test]
    fn a_file_sorts_before_the_contents_of_its_folder() {
        assert!(RepoPath("a".into()) < RepoPath("a/b".into()));
    }
}
