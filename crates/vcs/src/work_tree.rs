//! Opens the work tree of a project and answers the queries of the hooks.
//!
//! Queries start first and finish later, so that other work runs in parallel.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::control_files::ControlGuard;
use crate::git::RunningGit;
use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::path_text::{from_os, os_string};
use crate::repo_path::Prefix;
use crate::unwatched::IndexFlags;
use crate::{CommitId, Result, VcsError};

/// Limit for files that contain only a path.
const LONGEST_POINTER: u64 = 64 * 1024;

/// Limit for in-process reads before a git process is used.
const AT_ONCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
pub struct WorkTree {
    pub(crate) project: PathBuf,
    /// The folder that contains `.git`.
    pub(crate) top: PathBuf,
    pub(crate) prefix: Prefix,
    /// Data of this work tree only: HEAD, index, locks.
    pub(crate) git_dir: PathBuf,
    /// Data shared by all work trees: settings, hooks, branches, objects.
    pub(crate) common_dir: PathBuf,
    pub(crate) control: Option<Arc<Mutex<ControlGuard>>>,
    /// Whether the user wants signed commits; read once.
    pub(crate) signs_commits: Arc<OnceLock<bool>>,
    pub(crate) index_flags: Arc<Mutex<Option<IndexFlags>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a git repository")]
pub struct NotARepository;

#[derive(Debug)]
pub struct ChangesInProgress {
    known: Vec<String>,
    /// The git that finds more.
    git: Option<(RunningGit, Prefix)>,
}

impl WorkTree {
    /// `project` may be any folder of a work tree.
    pub fn open(project: &Path) -> Result<Self, NotARepository> {
        let project = project.canonicalize().map_err(|_| NotARepository)?;
        // `.git` is a folder, or a file in linked work trees and submodules.
        let top = project.ancestors().find(|folder| is_repository(&folder.join(".git")));
        let top = top.ok_or(NotARepository)?.to_path_buf();
        let inside = project.strip_prefix(&top).map_err(|_| NotARepository)?;
        let folders = inside.components().map(|part| format!("{}/", from_os(part.as_os_str())));
        let prefix = Prefix(folders.collect());
        let dot_git = top.join(".git");
        let git_dir = linked(&dot_git).map_or(dot_git, |target| top.join(target));
        let common_dir = common(&git_dir);
        Ok(Self {
            project,
            top,
            prefix,
            git_dir,
            common_dir,
            control: None,
            signs_commits: Arc::default(),
            index_flags: Arc::default(),
        })
    }

    /// The git folder of this work tree and the shared one; often the same.
    pub fn git_dirs(&self) -> [&Path; 2] {
        [&self.git_dir, &self.common_dir]
    }

    /// Makes `folder` a repository; harmless if it is one.
    pub fn init(folder: &Path, deadline: Instant) -> Result<Self> {
        GitCall::anywhere(folder, "init").writing().args(["--quiet"]).output(deadline)?;
        Self::open(folder).map_err(|_| VcsError::Unreadable { command: "init" })
    }

    /// The folder that contains `.git`.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The project's folder in the repository; empty if it is the whole repository.
    pub fn project_folder(&self) -> &Path {
        self.project.strip_prefix(&self.top).unwrap_or(Path::new(""))
    }

    /// Converts a path from the repository root to one relative to the project.
    pub fn in_project(&self, path: &str) -> String {
        self.prefix.relative_text(path)
    }

    /// Starts a query for the paths that differ between `commit` and HEAD.
    pub fn start_changes_since(&self, commit: &CommitId) -> Result<ChangesInProgress> {
        let read =
            |store: &ObjectStore| store.differences(commit.as_str(), &self.resolved("HEAD").ok()??);
        if let Some(found) = self.in_process("differences", Instant::now() + AT_ONCE, read) {
            let known = found.keys().map(|path| self.prefix.relative(path)).collect();
            return Ok(ChangesInProgress { known, git: None });
        }
        // A moved submodule is a change, whatever the settings say.
        let flags = ["-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none"];
        let args = flags.into_iter().chain([commit.as_str(), "HEAD"]);
        let git = GitCall::read(self, "diff-tree").args(args).start()?;
        Ok(ChangesInProgress { known: Vec::new(), git: Some((git, self.prefix.clone())) })
    }
}

/// An empty folder `.git` is no repository, as in git.
fn is_repository(dot_git: &Path) -> bool {
    dot_git.is_file() || dot_git.join("HEAD").exists()
}

/// The target of a `.git` file.
fn linked(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return None;
    }
    Some(os_string(pointer(dot_git)?.strip_prefix(b"gitdir:")?.trim_ascii()).into())
}

fn common(git_dir: &Path) -> PathBuf {
    let Some(link) = pointer(&git_dir.join("commondir")) else { return git_dir.to_path_buf() };
    let common = git_dir.join(os_string(link.trim_ascii_end()));
    common.canonicalize().unwrap_or(common)
}

fn pointer(file: &Path) -> Option<Vec<u8>> {
    bounded_read::read_file(file, LONGEST_POINTER).ok()
}

impl ChangesInProgress {
    pub fn finish(self, deadline: Instant) -> Result<Vec<String>> {
        let Some((git, prefix)) = self.git else { return Ok(self.known) };
        let output = git.output(deadline)?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| prefix.relative(path)).collect())
    }
}

/// For example `git version 2.47.3`. `folder` is any existing folder.
pub fn git_version(folder: &Path, deadline: Instant) -> Result<String> {
    GitCall::anywhere(folder, "version").line(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(30)
    }

    #[test]
    fn a_folder_becomes_a_repository_and_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let tree = WorkTree::init(dir.path(), soon()).unwrap();
            assert_eq!(tree.state(soon()).unwrap().head, None);
        }
    }

    #[test]
    fn the_version_is_known_outside_of_repositories() {
        let dir = tempfile::tempdir().unwrap();
        let version = git_version(dir.path(), soon()).unwrap();
        assert!(version.starts_with("git version "), "{version}");
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
            assert_eq!(WorkTree::open(tree).unwrap().git_dirs()[1], main.join(".git"));
        }
    }
}
