//! A set of named paths; folders include their contents.

use std::collections::BTreeSet;

use crate::repo_path::RepoPath;
use crate::{VcsError, WorkTree};

#[derive(Debug, Default)]
pub(crate) struct PathSet {
    paths: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl WorkTree {
    /// A trailing slash means a whole folder.
    pub(crate) fn path_set<S: AsRef<str>>(&self, paths: &[S]) -> Result<PathSet, VcsError> {
        let mut named = PathSet::default();
        for path in paths.iter().map(AsRef::as_ref) {
            let invalid = || VcsError::InvalidPath { path: path.to_owned() };
            let RepoPath(located) = self.prefix.locate(path).ok_or_else(invalid)?;
            if path.ends_with('/') {
                named.folders.insert(located.clone());
            }
            named.paths.insert(located);
        }
        Ok(named)
    }
}

impl PathSet {
    /// `path` is relative to the repository root.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let in_folder = |(slash, _): (usize, &str)| self.folders.contains(&path[..slash]);
        self.paths.contains(path) || path.match_indices('/').any(in_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
