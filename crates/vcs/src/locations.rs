//! Paths of git data outside the work tree.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::os_string;
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// The user's global ignore file, existing or not; `None` if the home folder is unknown.
    pub fn global_ignore_file(&self, deadline: Instant) -> Result<Option<PathBuf>, VcsError> {
        let args = ["--type=path", "-z", "--get", "core.excludesFile"];
        let printed = GitCall::read(self, "config").args(args).output_if_yes(deadline)?;
        Ok(match printed {
            Some(path) => Some(self.top.join(os_string(path.strip_suffix(b"\0").unwrap_or(&path)))),
            None => usual_place(std::env::var_os("XDG_CONFIG_HOME"), std::env::home_dir()),
        })
    }

    /// The folder that contains `.git`.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The common git folder, which linked work trees share.
    pub fn git_folder(&self) -> &Path {
        &self.common_dir
    }

    /// Converts a path from the repository root to one relative to the project.
    pub fn in_project(&self, path: &str) -> String {
        self.prefix.relative_text(path)
    }

    /// The project's folder in the repository: empty or ending in `/`.
    pub fn project_in_repository(&self) -> &str {
        &self.prefix.0
    }
}

fn usual_place(config_home: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let config_home = config_home.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let config = config_home.or_else(|| home.map(|home| home.join(".config")))?;
    Some(config.join("git/ignore"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn a_linked_work_tree_has_its_history_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let (main, linked) = (top.join("main"), top.join("linked"));
        std::fs::create_dir(&main).unwrap();
        test_repo::init(&main);
        test_repo::commit_all(&main);
        test_repo::git(&main, &["worktree", "add", "-q", "../linked"]);
        for tree in [&main, &linked] {
            assert_eq!(WorkTree::open(tree).unwrap().git_folder(), main.join(".git"));
        }
    }

    #[test]
    fn the_configured_ignore_file_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("apps/shop");
        std::fs::create_dir_all(&sub).unwrap();
        test_repo::init(dir.path());
        test_repo::git(dir.path(), &["config", "core.excludesFile", "lists/mine"]);
        let tree = WorkTree::open(&sub).unwrap();
        let top = dir.path().canonicalize().unwrap();
        assert_eq!(tree.global_ignore_file(soon()).unwrap(), Some(top.join("lists/mine")));
        assert_eq!(tree.project_in_repository(), "apps/shop/");
    }

    #[test]
    fn the_default_is_in_the_config_folder() {
        let home = || Some(PathBuf::from("/home/u"));
        let at = |path: &str| Some(PathBuf::from(path));
        assert_eq!(usual_place(None, home()), at("/home/u/.config/git/ignore"));
        assert_eq!(usual_place(Some("".into()), home()), at("/home/u/.config/git/ignore"));
        assert_eq!(usual_place(Some("/c".into()), home()), at("/c/git/ignore"));
        assert_eq!(usual_place(None, None), None);
    }
}
