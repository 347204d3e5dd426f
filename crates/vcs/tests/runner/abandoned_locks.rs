//! Locks of a killed git go, locks of a living one stay.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::repository::{Repository, soon};

/// A git that waits for its input until it is dropped.
struct WaitingGit(Child);

impl WaitingGit {
    #[expect(clippy::disallowed_methods, reason = "the one git here that has to be running")]
    fn start(folder: &std::path::Path) -> Self {
        let mut command = Command::new("git");
        let command = command.args(["cat-file", "--batch"]).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Once it has answered it has found its way into the work tree.
        child.stdin.as_mut().unwrap().write_all(b"HEAD\n").unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        Self(child)
    }
}

impl Drop for WaitingGit {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_a_killed_git_left_is_removed_and_named() {
    let repository = Repository::new();
    let locks = [
        ".git/index.lock",
        ".git/HEAD.lock",
        ".git/packed-refs.lock",
        ".git/config.lock",
        ".git/refs/heads/main.lock",
        ".git/refs/heads/wip/other.lock",
        ".git/refs/ralph/x.lock",
    ];
    for lock in locks {
        repository.write(lock, "");
    }
    let mut removed = repository.tree().remove_abandoned_locks(soon()).unwrap();
    let root = repository.path().canonicalize().unwrap();
    let mut names: Vec<_> = locks.iter().map(|lock| root.join(lock)).collect();
    removed.sort();
    names.sort();
    assert_eq!(removed, names);
    assert!(names.iter().all(|lock| !lock.exists()));
    assert!(repository.tree().remove_abandoned_locks(soon()).unwrap().is_empty());
}

#[test]
fn while_a_git_works_here_its_lock_stays() {
    let repository = Repository::new();
    repository.write(".git/index.lock", "");
    let git = WaitingGit::start(repository.path());
    let shortly = Instant::now() + Duration::from_millis(50);
    assert!(repository.tree().remove_abandoned_locks(shortly).unwrap().is_empty());
    drop(git);
    assert_eq!(repository.tree().remove_abandoned_locks(soon()).unwrap().len(), 1);
}

#[test]
fn a_lock_that_somebody_has_open_stays() {
    let repository = Repository::new();
    repository.write(".git/index.lock", "");
    let path = repository.path().canonicalize().unwrap().join(".git/index.lock");
    let open = std::fs::File::open(&path).unwrap();
    let shortly = Instant::now() + Duration::from_millis(50);
    assert!(repository.tree().remove_abandoned_locks(shortly).unwrap().is_empty());
    drop(open);
    assert_eq!(repository.tree().remove_abandoned_locks(soon()).unwrap(), [path]);
}

#[test]
fn a_linked_work_tree_finds_its_own() {
    let repository = Repository::new();
    let beside = tempfile::tempdir().unwrap();
    let linked = beside.path().join("linked");
    repository.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    let theirs = [".git/worktrees/linked/index.lock", ".git/refs/heads/other.lock"];
    for lock in theirs.iter().chain(&[".git/index.lock"]) {
        repository.write(lock, "");
    }
    let tree = vcs::WorkTree::open(&linked).unwrap();
    assert_eq!(tree.remove_abandoned_locks(soon()).unwrap().len(), 2);
    assert!(repository.at(".git/index.lock").exists(), "it is another work tree's");
}

#[test]
fn what_work_trees_share_stays_while_a_git_works_in_any_of_them() {
    let repository = Repository::new();
    let beside = tempfile::tempdir().unwrap();
    let linked = beside.path().join("linked");
    repository.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    for lock in [".git/index.lock", ".git/packed-refs.lock"] {
        repository.write(lock, "");
    }
    let git = WaitingGit::start(&linked);
    let shortly = Instant::now() + Duration::from_millis(50);
    let removed = repository.tree().remove_abandoned_locks(shortly).unwrap();
    let own = repository.path().canonicalize().unwrap().join(".git/index.lock");
    assert_eq!(removed, [own]);
    drop(git);
    assert_eq!(repository.tree().remove_abandoned_locks(soon()).unwrap().len(), 1);
}
