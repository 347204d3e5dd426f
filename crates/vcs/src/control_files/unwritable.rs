//! Lists the control files that a sandbox can make read-only for a session.
//!
//! Only existing paths can be made read-only, so folders and files that have no effect while empty
//! are created first. An empty `commondir` breaks git and an empty `shallow` has an effect; while
//! they are missing, only the guard protects them.

use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::AllowedChanges;
use super::places::{ALTERNATES, Places, WORK_TREE_CONFIG};
use crate::{VcsError, WorkTree};

/// Control files without effect while empty.
const EMPTY: [&str; 2] = [WORK_TREE_CONFIG, ALTERNATES];

impl WorkTree {
    /// Existing control files and folders that contain only control files, except `allowed`. Call
    /// [`WorkTree::make_control_files`] first to create the folders.
    pub fn unwritable_control_files(&self, allowed: &AllowedChanges) -> Vec<PathBuf> {
        let places = Places::of(self);
        let is_allowed = |path: &PathBuf| {
            Places::names().any(|name| allowed.allows(name) && places.path(name).starts_with(path))
        };
        let mut paths = places.folders();
        paths.retain(|folder| !is_allowed(folder));
        let files: Vec<PathBuf> = Places::names().map(|name| places.path(name)).collect();
        let is_covered = |file: &PathBuf| paths.iter().any(|folder| file.starts_with(folder));
        let alone: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| file.is_file() && !is_covered(file) && !is_allowed(file))
            .collect();
        paths.extend(alone);
        paths
    }

    /// Creates missing folders, as `git init` does, and empty files.
    pub fn make_control_files(&self) -> Result<(), VcsError> {
        let places = Places::of(self);
        places.folders().into_iter().try_for_each(|path| {
            std::fs::create_dir_all(&path).map_err(|error| VcsError::Disk { path, error })
        })?;
        for path in EMPTY.map(|name| places.path(name)) {
            match File::create_new(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(VcsError::Disk { path, error });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Paths relative to `root`.
    fn unwritable(project: &Path, root: &Path, allowed: &[&str]) -> Vec<String> {
        let allowed = AllowedChanges::new(allowed.iter().map(|name| (*name).to_owned()));
        let tree = WorkTree::open(project).unwrap();
        let root = root.canonicalize().unwrap();
        let paths = tree.unwritable_control_files(&allowed);
        let mut names: Vec<String> = paths
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn missing_files_are_not_listed() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let usual = [".git/config", ".git/hooks", ".git/info"];
        assert_eq!(unwritable(dir.path(), dir.path(), &[]), usual);
        fs::write(dir.path().join(".git/shallow"), "").unwrap();
        fs::write(dir.path().join(".git/objects/info/alternates"), "").unwrap();
        let more = [&usual[..], &[".git/objects/info/alternates", ".git/shallow"]].concat();
        assert_eq!(unwritable(dir.path(), dir.path(), &[]), more);
    }

    #[test]
    fn a_linked_work_tree_has_files_in_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main");
        fs::create_dir(&main).unwrap();
        test_repo::init(&main);
        test_repo::commit_all(&main);
        test_repo::git(&main, &["worktree", "add", "-q", "../linked"]);
        let expected = [
            "linked/.git",
            "main/.git/config",
            "main/.git/hooks",
            "main/.git/info",
            "main/.git/worktrees/linked/commondir",
            "main/.git/worktrees/linked/gitdir",
            "main/.git/worktrees/linked/info",
        ];
        assert_eq!(unwritable(&dir.path().join("linked"), dir.path(), &[]), expected);
    }

    #[test]
    fn only_allowed_files_stay_writable() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        fs::create_dir_all(dir.path().join(".git/info")).unwrap();
        fs::write(dir.path().join(".git/info/exclude"), "").unwrap();
        let listed = unwritable(dir.path(), dir.path(), &[".git/info/sparse-checkout"]);
        assert_eq!(listed, [".git/config", ".git/hooks", ".git/info/exclude"]);
    }

    #[test]
    fn missing_files_are_created_without_effect() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        for name in ["hooks", "info"] {
            let _ = fs::remove_dir_all(dir.path().join(".git").join(name));
        }
        let tree = WorkTree::open(dir.path()).unwrap();
        let record = tree.control_record().unwrap();
        for _ in 0..2 {
            tree.make_control_files().unwrap();
        }
        let path = |name: &str| dir.path().join(".git").join(name);
        assert!(["hooks", "info"].iter().all(|name| path(name).is_dir()));
        let files = ["config.worktree", "objects/info/alternates"].map(path);
        assert!(files.iter().all(|file| fs::read(file).is_ok_and(|text| text.is_empty())));
        assert_eq!(tree.control_changes_since(&record).unwrap(), [], "empty files change nothing");
    }
}
