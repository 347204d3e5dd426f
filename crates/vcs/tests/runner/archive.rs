//! Branches archived as tags.

use vcs::{Archived, VcsError};

use crate::repository::{Repository, soon};

fn archive(repository: &Repository, branch: &str, tag: &str) -> Result<Archived, VcsError> {
    repository.tree().archive_branch(branch, tag, soon())
}

fn archived_as(tag: &str) -> Archived {
    Archived::As(tag.to_owned())
}

#[test]
fn a_branch_becomes_a_tag() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "wip/one"]);
    let kept = repository.commit_all();
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["branch", "wip/one-more"]);
    repository.git(&["pack-refs", "--all"]);
    assert_eq!(archive(&repository, "wip/one", "ralph/one").unwrap(), archived_as("ralph/one"));
    assert_eq!(repository.git(&["rev-parse", "refs/tags/ralph/one"]), kept.as_str());
    assert_eq!(repository.git(&["branch", "--format=%(refname:short)"]), "main\nwip/one-more");
    assert_eq!(archive(&repository, "wip/one", "ralph/one").unwrap(), Archived::Absent);
    assert_eq!(archive(&repository, "wip", "ralph/x").unwrap(), Archived::Absent);
}

#[test]
fn a_tag_of_another_commit_is_never_moved() {
    let repository = Repository::new();
    repository.git(&["tag", "one"]);
    repository.git(&["tag", "-a", "-m", "theirs", "one-2"]);
    repository.commit_all();
    repository.git(&["tag", "one-3/x"]);
    repository.git(&["branch", "wip/one"]);
    let tags = repository.git(&["for-each-ref", "refs/tags"]);
    assert_eq!(archive(&repository, "wip/one", "one").unwrap(), archived_as("one-4"));
    assert!(repository.git(&["for-each-ref", "refs/tags"]).starts_with(&tags));
}

#[test]
fn after_a_crash_between_tag_and_branch_the_tag_is_used() {
    for flags in [&["tag", "one"][..], &["tag", "-a", "-m", "x", "one"]] {
        let repository = Repository::new();
        repository.git(&["branch", "wip/one"]);
        repository.git(flags);
        assert_eq!(archive(&repository, "wip/one", "one").unwrap(), archived_as("one"));
        assert_eq!(repository.git(&["branch", "--list", "wip/one"]), "");
    }
}

#[test]
fn checked_out_branches_stay() {
    let repository = Repository::new();
    assert_eq!(archive(&repository, "main", "one").unwrap(), Archived::CheckedOut);
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().join("linked");
    repository.git(&["worktree", "add", "-q", "-b", "wip/one", folder.to_str().unwrap()]);
    assert_eq!(archive(&repository, "wip/one", "one").unwrap(), Archived::CheckedOut);
    assert_eq!(repository.git(&["tag"]), "", "nothing was done");
    assert_eq!(repository.git(&["branch", "--format=%(refname:short)"]), "main\nwip/one");
}

#[test]
fn a_conflicting_tag_name_is_an_error_and_the_branch_stays() {
    let repository = Repository::new();
    repository.git(&["tag", "ralph"]);
    repository.git(&["branch", "one"]);
    let refused = archive(&repository, "one", "ralph/one");
    assert!(matches!(refused, Err(VcsError::NameTaken { .. })), "{refused:?}");
    let refused = archive(&repository, "one", "../heads/x");
    assert!(matches!(refused, Err(VcsError::Failed { .. })), "{refused:?}");
    let refused = archive(&repository, "--all", "x");
    assert!(matches!(refused, Err(VcsError::InvalidBranch { .. })), "{refused:?}");
    assert_eq!(repository.git(&["branch", "--format=%(refname:short)"]), "main\none");
}
