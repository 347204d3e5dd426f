//! Locks of a killed git are removed, locks of a running one stay.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::repository::{Repository, soon};

/// A git that waits for input until it is dropped.
struct WaitingGit(Child);

impl WaitingGit {
    #[expect(clippy::disallowed_methods, reason = "the one git here that must run")]
    fn start(folder: &std::path::Path) -> Self {
        let mut command = Command::new("git");
        let command = command.args(["cat-file", "--batch"]).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // After its first output it runs in the work tree.
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
fn locks_of_a_killed_git_are_removed_and_reported() {
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
fn a_lock_that_is_open_stays() {
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
fn a_linked_work_tree_finds_its_own_locks() {
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
fn shared_locks_stay_while_a_git_runs_in_any_work_tree() {
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
