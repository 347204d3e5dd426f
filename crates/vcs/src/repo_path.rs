//! Paths relative to the repository root, for git plumbing.
//!
//! They name single files, never patterns or whole folders, so nothing else is changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::path_text::{self, on_disk};
use crate::tree_object::Entry;
use crate::vcs_error::disk;
use crate::{Result, VcsError, WorkTree};

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

/// The files of a commit or tree.
pub(crate) type Entries = BTreeMap<RepoPath, Entry>;

/// A set of named paths; folders include their contents.
#[derive(Debug, Default)]
pub(crate) struct PathSet {
    paths: BTreeSet<String>,
    folders: BTreeSet<String>,
}

/// The project's folder in the repository: empty or ending in `/`. git names paths from the
/// repository root, the rest of the program from the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix(pub(crate) String);

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
    pub(crate) fn located(&self, path: &str) -> Result<RepoPath> {
        let located = self.prefix.locate(path);
        located.ok_or_else(|| VcsError::InvalidPath { path: path.to_owned() })
    }

    /// Sorted, without duplicates.
    pub(crate) fn locate<S: AsRef<str>>(&self, paths: &[S]) -> Result<Vec<RepoPath>> {
        let located = paths.iter().map(|path| self.located(path.as_ref()));
        let located: BTreeSet<RepoPath> = located.collect::<Result<_>>()?;
        Ok(located.into_iter().collect())
    }

    /// A trailing slash means a whole folder.
    pub(crate) fn path_set<S: AsRef<str>>(&self, paths: &[S]) -> Result<PathSet> {
        let mut named = PathSet::default();
        for path in paths.iter().map(AsRef::as_ref) {
            let RepoPath(located) = self.located(path)?;
            if path.ends_with('/') {
                named.folders.insert(located.clone());
            }
            named.paths.insert(located);
        }
        Ok(named)
    }

    /// The path as the caller gave it.
    pub(crate) fn project_path(&self, path: &RepoPath) -> String {
        self.prefix.relative_text(&path.0)
    }

    pub(crate) fn place(&self, path: &RepoPath) -> PathBuf {
        on_disk(&self.top, &path.0)
    }

    pub(crate) fn look(&self, path: &RepoPath) -> Result<OnDisk> {
        let mut place = self.top.clone();
        let mut parts = path.0.split('/').peekable();
        while let Some(part) = parts.next() {
            place = on_disk(&place, part);
            let Some(metadata) = metadata(&place).map_err(disk(&self.place(path)))? else {
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

    pub(crate) fn only_files(
        &self,
        paths: impl IntoIterator<Item = RepoPath>,
    ) -> Result<Vec<RepoPath>> {
        let looked = paths.into_iter().map(|path| Ok((self.look(&path)?, path)));
        let looked: Vec<(OnDisk, RepoPath)> = looked.collect::<Result<_>>()?;
        Ok(looked.into_iter().filter(|(at, _)| *at == OnDisk::File).map(|(_, path)| path).collect())
    }

    /// The file or symbolic link in place of a parent folder.
    pub(crate) fn obstacle(&self, path: &RepoPath) -> Result<Option<RepoPath>> {
        for folder in path.above() {
            let place = self.place(&folder);
            match metadata(&place).map_err(disk(&place))? {
                Some(metadata) if metadata.is_dir() => {}
                Some(_) => return Ok(Some(folder)),
                None => break,
            }
        }
        Ok(None)
    }
}

impl Prefix {
    /// `path` as in git's output.
    pub(crate) fn relative(&self, path: &[u8]) -> String {
        self.relative_text(&path_text::from_bytes(path))
    }

    pub(crate) fn relative_text(&self, path: &str) -> String {
        match path.strip_prefix(self.0.as_str()) {
            Some(inside) => inside.to_owned(),
            None => format!("{}{path}", "../".repeat(self.0.matches('/').count())),
        }
    }

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

impl PathSet {
    /// `path` is relative to the repository root.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let in_folder = |(slash, _): (usize, &str)| self.folders.contains(&path[..slash]);
        self.paths.contains(path) || path.match_indices('/').any(in_folder)
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

    #[test]
    fn a_folder_includes_exactly_its_contents() {
        let dir = tempfile::tempdir().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let tree = WorkTree::init(dir.path(), deadline).unwrap();
        let named = tree.path_set(&["a", "b/c/", "d"]).unwrap();
        for (path, expected) in [
            ("a", true),
            ("a/x", false),
            ("ab", false),
            ("b", false),
            ("b/c", true),
            ("b/c/d/e", true),
            ("b/cd", false),
        ] {
            assert_eq!(named.holds(path), expected, "{path}");
        }
        assert!(tree.path_set(&["../x"]).is_err());
    }

    #[test]
    fn paths_are_relative_to_the_project() {
        let prefix = Prefix("apps/web/".into());
        assert_eq!(prefix.relative(b"apps/web/src/a"), "src/a");
        assert_eq!(prefix.relative(b"libs/b"), "../../libs/b");
        assert_eq!(prefix.relative(b"bad-\xff"), "../../bad-\\377");
    }
}
