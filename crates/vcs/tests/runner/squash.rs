//! Squashing commits.

use vcs::{CommitId, VcsError};

use crate::repository::{Repository, soon};

fn squash(repository: &Repository, checkpoint: &CommitId) -> Option<CommitId> {
    repository.tree().squash_since(checkpoint, "ralph: US-1\n\nmore", soon()).unwrap()
}

#[test]
fn all_commits_become_one_and_nothing_else_moves() {
    let repository = Repository::new();
    let start = repository.head();
    repository.commit_file("a", "x");
    repository.commit_file("b", "x");
    repository.write("staged", "x");
    repository.git(&["add", "staged"]);
    repository.write("README", "mine");
    let (tree, status) = (repository.listed("HEAD"), repository.status());
    let commit = squash(&repository, &start).unwrap();
    assert_eq!(repository.head(), commit);
    assert_eq!(repository.git(&["rev-parse", "main~1"]), start.as_str());
    assert_eq!(repository.git(&["log", "-1", "--format=%B%an"]), "ralph: US-1\n\nmore\nSomebody");
    assert_eq!((repository.listed("HEAD"), repository.status()), (tree, status));
    assert_eq!(squash(&repository, &start), Some(commit));
}

#[test]
fn merges_and_rewritten_histories_work() {
    let repository = Repository::with_disagreement();
    let start = repository.head();
    repository.git(&["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    repository.commit_file("a", "x");
    let commit = squash(&repository, &start).unwrap();
    assert_eq!(repository.git(&["rev-parse", &format!("{commit}^@")]), start.as_str());
    repository.git(&["reset", "-q", "--soft", "HEAD~2"]);
    repository.git(&["commit", "-q", "-m", "rewritten"]);
    let commit = squash(&repository, &start).unwrap();
    assert_eq!(repository.git(&["rev-parse", &format!("{commit}^@")]), start.as_str());
}

#[test]
fn one_commit_with_another_message_gets_the_message() {
    let repository = Repository::new();
    let start = repository.head();
    let own = repository.commit_file("a", "x");
    let commit = squash(&repository, &start).unwrap();
    assert_ne!(commit, own);
    assert_eq!(repository.git(&["log", "--format=%s", "-1"]), "ralph: US-1");
}

#[test]
fn commits_without_net_change_are_dropped() {
    let repository = Repository::new();
    let start = repository.head();
    assert_eq!(squash(&repository, &start), None);
    repository.commit_file("README", "changed");
    repository.commit_file("README", "hello");
    assert_eq!(squash(&repository, &start), None);
    assert_eq!((repository.head(), repository.status()), (start, vec![]));
}

#[test]
fn during_a_merge_it_is_refused() {
    let repository = Repository::with_disagreement();
    repository.run_into_conflict("merge");
    let refused = repository.tree().squash_since(&repository.head(), "x", soon());
    assert!(matches!(refused, Err(VcsError::OperationInProgress(_))), "{refused:?}");
}
