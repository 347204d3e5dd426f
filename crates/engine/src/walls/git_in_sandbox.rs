//! What git needs in Claude Code's own sandbox to work as usual, and which of its files stay closed there.

use std::path::{Path, PathBuf};
use std::time::Instant;

use bounded_read::read_file;
use project::Layout;
use vcs::{AllowedChanges, WorkTree};
use walls::native::with_stand_ins;

use crate::house::deadline;
use crate::{RunError, own_file};

/// More than anybody writes by hand.
const LONGEST_LIST: u64 = 1024 * 1024;

/// What commands in the sandbox need for git to work as usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitInSandbox {
    /// The text of the file that [`walls::NativeWall::settings`] names.
    pub ignores: String,
    /// The folder with the history, where the sandbox does not open it by itself.
    pub folder: Option<PathBuf>,
}

/// A list of the user's that cannot be read is left out: then git sees more new files, and none is
/// lost.
pub fn git_in_sandbox(root: &Path, deadline: Instant) -> GitInSandbox {
    let Ok(tree) = WorkTree::open(root) else {
        return GitInSandbox { ignores: with_stand_ins("", ""), folder: None };
    };
    let list = tree.users_ignores(deadline).ok().flatten();
    let text = list.and_then(|list| read_file(&list, LONGEST_LIST).ok()).unwrap_or_default();
    let below = tree.project_in_repository();
    GitInSandbox {
        ignores: with_stand_ins(&String::from_utf8_lossy(&text), below),
        folder: (!below.is_empty()).then(|| tree.git_folder().to_path_buf()),
    }
}

/// Where a run keeps the list.
pub(crate) fn ignores_file(run_dir: &Path) -> PathBuf {
    run_dir.join("git-ignores")
}

/// What commands of a session may not write: the control files of the repository, and what the runner
/// keeps. Claude Code itself closes `config`, `config.worktree`, `hooks`, `objects/info/alternates`, and in
/// a linked work tree `commondir` and `gitdir`.
pub(crate) fn unwritable(layout: &Layout, allowed: &AllowedChanges) -> Vec<PathBuf> {
    let tree = WorkTree::open(layout.root());
    let control = tree.map(|tree| tree.unwritable_control_files(allowed)).unwrap_or_default();
    let own = [layout.data_dir(), layout.marker()].into_iter();
    own.filter_map(|path| path.canonicalize().ok()).chain(control).collect()
}

/// What has to be on disk before a session.
pub(crate) fn provide(layout: &Layout, run_dir: &Path) -> Result<(), RunError> {
    if let Ok(tree) = WorkTree::open(layout.root()) {
        tree.make_control_folders()?;
    }
    let file = ignores_file(run_dir);
    own_file::write(&file, git_in_sandbox(layout.root(), deadline()).ignores)
        .map_err(|error| RunError::Disk { path: layout.name_of(&file), error })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;

    fn git_in(root: &Path) -> GitInSandbox {
        git_in_sandbox(root, Instant::now() + Duration::from_secs(20))
    }

    #[test]
    fn git_in_the_sandbox_ignores_what_the_user_ignores_and_the_stand_ins() {
        let dir = TempDir::new().unwrap();
        assert_eq!(git_in(dir.path()).ignores, with_stand_ins("", ""));
        scratch_repo::init(dir.path());
        scratch_repo::git(dir.path(), &["config", "core.excludesFile", "mine"]);
        dir.child("mine").write_str("*.swp\n").unwrap();
        assert_eq!(git_in(dir.path()).ignores, with_stand_ins("*.swp\n", ""));
    }

    #[test]
    fn what_the_runner_keeps_is_unwritable_as_far_as_it_is_there() {
        let dir = TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let names = || -> Vec<String> {
            let root = dir.path().canonicalize().unwrap();
            let paths = unwritable(&layout, &AllowedChanges::default());
            paths
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                .collect()
        };
        assert_eq!(names(), [""; 0], "a device in its place would be taken for a marker");
        dir.child(".ralph/state.json").touch().unwrap();
        dir.child(".ralph-active").touch().unwrap();
        assert_eq!(names(), [".ralph", ".ralph-active"]);
        scratch_repo::init(dir.path());
        assert!(names().contains(&".git/info".to_owned()), "{:?}", names());
    }

    #[test]
    fn a_project_in_a_folder_of_its_repository_needs_the_history_opened() {
        let dir = TempDir::new().unwrap();
        scratch_repo::init(dir.path());
        dir.child("shop/here").touch().unwrap();
        assert_eq!(git_in(dir.path()).folder, None);
        let shop = git_in(&dir.path().join("shop"));
        assert_eq!(shop.folder, Some(dir.path().canonicalize().unwrap().join(".git")));
        assert!(shop.ignores.contains("\n/shop/.bashrc\n"), "{}", shop.ignores);
    }
}
