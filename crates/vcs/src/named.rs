//! Paths that somebody named, some of them with everything in them.

use std::collections::BTreeSet;

use crate::repo_path::RepoPath;
use crate::{VcsError, WorkTree};

#[derive(Debug, Default)]
pub(crate) struct Named {
    paths: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl WorkTree {
    /// A slash at the end means a whole folder, whatever it is.
    pub(crate) fn named<S: AsRef<str>>(&self, paths: &[S]) -> Result<Named, VcsError> {
        let mut named = Named::default();
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

impl Named {
    /// `path` is from the top of the repository.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let in_folder = |(slash, _): (usize, &str)| self.folders.contains(&path[..slash]);
        self.paths.contains(path) || path.match_indices('/').any(in_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_with_all_that_is_in_it_and_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let tree = WorkTree::init(dir.path(), deadline).unwrap();
        let named = tree.named(&["a", "b/c/", "d"]).unwrap();
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
        assert!(tree.named(&["../x"]).is_err());
    }
}
