//! Commits and their ancestry.

use vcs::{CommitId, Operation, VcsError};

use crate::repository::{Repository, soon};

#[test]
fn ancestors_are_recognized() {
    let repository = Repository::new();
    let first = repository.head();
    let second = repository.commit_all();
    let tree = repository.tree();
    assert!(tree.is_ancestor(&first, &second, soon()).unwrap());
    assert!(tree.is_ancestor(&first, &first, soon()).unwrap());
    assert!(!tree.is_ancestor(&second, &first, soon()).unwrap());
    let unknown = CommitId::new(&"0".repeat(39)).unwrap();
    assert!(tree.has_commit(&first, soon()).unwrap());
    assert!(!tree.has_commit(&unknown, soon()).unwrap());
    assert!(matches!(
        tree.is_ancestor(&unknown, &first, soon()),
        Err(VcsError::Failed { command: "merge-base", .. })
    ));
}

#[test]
fn commits_with_the_same_files_have_the_same_tree() {
    let repository = Repository::new();
    let first = repository.head();
    let same = repository.commit_all();
    repository.write("new", "x");
    let other = repository.commit_all();
    let id = |commit| repository.tree().tree_id(commit, soon()).unwrap();
    assert_eq!(id(&first), id(&same));
    assert_ne!(id(&first), id(&other));
    assert_eq!(id(&first).as_str(), repository.git(&["rev-parse", "HEAD~1^{tree}"]));
}

#[test]
fn head_has_a_tree_after_the_first_commit() {
    let repository = Repository::new();
    let tree = repository.tree();
    let known = tree.tree_id(&repository.head(), soon()).unwrap();
    let head = repository.head();
    assert_eq!(tree.head_and_tree(soon()).unwrap(), Some((head, known)));
    repository.git(&["checkout", "-q", "--orphan", "bare"]);
    assert_eq!(tree.head_and_tree(soon()).unwrap(), None);
}

#[test]
fn an_unknown_checkpoint_is_an_error() {
    let repository = Repository::new();
    let unknown = CommitId::new(&"0".repeat(39)).unwrap();
    let head = repository.head();
    let kept = repository.tree().keep_history(&unknown, soon());
    assert!(matches!(kept, Err(VcsError::Failed { command: "merge-base", .. })), "{kept:?}");
    assert_eq!(repository.head(), head);
}

#[test]
fn an_intact_history_stays() {
    let repository = Repository::new();
    let checkpoint = repository.head();
    let head = repository.commit_all();
    let kept = repository.tree().keep_history(&checkpoint, soon()).unwrap();
    assert_eq!(kept, None);
    assert_eq!(repository.head(), head);
}

#[test]
fn an_amended_commit_is_restored_and_dirty_files_stay_dirty() {
    let repository = Repository::new();
    repository.write("story", "first");
    let checkpoint = repository.commit_all();
    repository.write("story", "amended");
    repository.git(&["commit", "-q", "-a", "--amend", "-m", "other"]);
    let amended = repository.head();
    repository.write("README", "mine");
    repository.write("staged", "x");
    repository.git(&["add", "staged"]);
    repository.write("untracked", "x");
    let status = repository.status();
    let Some(made) = repository.tree().keep_history(&checkpoint, soon()).unwrap() else {
        unreachable!("the checkpoint was amended away");
    };
    assert_eq!(repository.head(), made);
    assert_eq!(
        repository.git(&["rev-parse", "HEAD^1", "HEAD^2"]),
        format!("{amended}\n{checkpoint}")
    );
    assert_eq!(repository.status(), status);
    assert_eq!(repository.read("story"), "amended");
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
}

#[test]
fn commits_dropped_by_a_reset_are_merged_back() {
    let repository = Repository::new();
    repository.write("story", "x");
    repository.write("README", "theirs");
    let checkpoint = repository.commit_all();
    repository.git(&["reset", "-q", "--hard", "HEAD^"]);
    repository.write("own", "work");
    repository.commit_all();
    let kept = repository.tree().keep_history(&checkpoint, soon()).unwrap();
    assert_eq!(kept, Some(repository.head()));
    for (path, contents) in [("story", "x"), ("README", "theirs"), ("own", "work")] {
        assert_eq!(repository.read(path), contents);
    }
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn dirty_files_are_not_overwritten() {
    let repository = Repository::new();
    repository.write("README", "theirs");
    let checkpoint = repository.commit_all();
    repository.git(&["reset", "-q", "--hard", "HEAD^"]);
    repository.write("README", "being edited");
    repository.tree().keep_history(&checkpoint, soon()).unwrap();
    assert_eq!(repository.read("README"), "being edited");
}

#[test]
fn a_branch_without_commits_continues_from_the_checkpoint() {
    let repository = Repository::new();
    let checkpoint = repository.head();
    repository.git(&["checkout", "-q", "--orphan", "bare"]);
    let kept = repository.tree().keep_history(&checkpoint, soon()).unwrap();
    assert_eq!(kept, Some(checkpoint.clone()));
    assert_eq!(repository.head(), checkpoint);
    assert_eq!(repository.state().branch.as_deref(), Some("bare"));
}

#[test]
fn during_a_rebase_the_history_stays() {
    let repository = Repository::with_disagreement();
    let checkpoint = repository.head();
    repository.run_into_conflict("rebase");
    let head = repository.head();
    let refused = repository.tree().keep_history(&checkpoint, soon());
    let expected = VcsError::OperationInProgress(Operation::Rebase).to_string();
    assert_eq!(refused.unwrap_err().to_string(), expected);
    assert_eq!(repository.head(), head);
}

#[test]
fn a_backup_keeps_a_commit_under_its_name() {
    let repository = Repository::new();
    let first = repository.head();
    let second = repository.commit_all();
    let tree = repository.tree();
    for commit in [&first, &second] {
        tree.backup_ref("run-1/US-1", commit, soon()).unwrap();
        assert_eq!(repository.git(&["rev-parse", "refs/ralph/run-1/US-1"]), commit.as_str());
    }
    let refused = tree.backup_ref("../heads/main", &first, soon());
    assert!(matches!(refused, Err(VcsError::Failed { .. })), "{refused:?}");
    assert_eq!(repository.head(), second);
}

/// SHA-256 hashes are longer.
#[test]
fn a_repository_with_other_hashes_is_written_to_as_well() {
    let dir = tempfile::tempdir().unwrap();
    test_repo::git(dir.path(), &["init", "-q", "-b", "main", "--object-format=sha256"]);
    let tree = vcs::WorkTree::open(dir.path()).unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "one").unwrap();
    let first = tree.commit_paths(&["file"], "one", soon()).unwrap().unwrap();
    std::fs::write(&file, "two").unwrap();
    std::fs::write(dir.path().join("new"), "x").unwrap();
    tree.commit_paths(&["file", "new"], "two", soon()).unwrap().unwrap();
    tree.restore_paths(&first, &["file", "new"], soon()).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one");
    assert_eq!(tree.state(soon()).unwrap().dirty.len(), 2);
    assert_eq!(tree.keep_history(&first, soon()).unwrap(), None);
}

#[test]
fn the_subjects_of_what_came_after_a_commit_oldest_first() {
    let repository = Repository::new();
    let first = repository.head();
    repository.git(&["commit", "--allow-empty", "-qm", "one\n\nbody"]);
    repository.git(&["commit", "--allow-empty", "-qm", "two"]);
    let (tree, head) = (repository.tree(), repository.head());
    let subjects = |most| tree.subjects_between(&first, &head, most, soon()).unwrap();
    assert_eq!(subjects(10), ["one", "two"]);
    assert_eq!(subjects(1), ["two"]);
    assert_eq!(tree.subjects_between(&head, &head, 9, soon()).unwrap(), [""; 0]);
}
