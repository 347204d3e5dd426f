//! Ignore rules in `.git`.

use vcs::{AllowedChanges, WorkTree};

use crate::repository::{Repository, soon};

#[test]
fn excluded_paths_are_ignored_and_old_rules_stay() {
    let repository = Repository::new();
    std::fs::write(repository.at(".git/info/exclude"), "# mine\nold").unwrap();
    let tree = repository.tree();
    for _ in 0..2 {
        tree.exclude(&[".mark", "runs/"]).unwrap();
    }
    let text = std::fs::read_to_string(repository.at(".git/info/exclude")).unwrap();
    assert_eq!(text, "# mine\nold\n/.mark\n/runs/\n");
    for name in [".mark", "runs/1/x", "old"] {
        repository.write(name, "x");
    }
    repository.write("sub/.mark", "x");
    assert_eq!(repository.status(), ["?? sub/.mark"]);
    let sub = WorkTree::open(&repository.at("sub")).unwrap();
    sub.exclude(&[".mark"]).unwrap();
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn core_worktree_does_not_move_the_work_tree() {
    let repository = Repository::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret"), "x").unwrap();
    repository.write("new", "x");
    let mut tree = repository.tree();
    tree.guard_control_files(AllowedChanges::default()).unwrap();
    repository.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    let dirty: Vec<String> =
        tree.state(soon()).unwrap().dirty.into_iter().map(|dirty| dirty.path).collect();
    assert_eq!(dirty, ["new"]);
    repository.git(&["config", "extensions.worktreeConfig", "true"]);
    let there = elsewhere.path().to_str().unwrap();
    repository.git(&["config", "--worktree", "core.worktree", there]);
    assert_ne!(tree.restore_control_files().unwrap(), []);
    assert_eq!(repository.status(), ["?? new"], "in the whole repository");
    tree.commit_paths(&dirty, "keep", soon()).unwrap();
    let files = repository.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, "README\nnew");
}
