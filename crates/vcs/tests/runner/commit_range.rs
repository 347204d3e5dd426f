//! Commits since the start of a story: their authors and other refs to them.

use vcs::{CommitId, CommitRange};

use crate::repository::{Repository, soon};

fn range(from: &CommitId, to: &CommitId) -> CommitRange {
    CommitRange { from: from.clone(), to: to.clone() }
}

fn consists_of(repository: &Repository, from: &CommitId, ranges: &[CommitRange]) -> bool {
    let whole = range(from, &repository.head());
    repository.tree().consists_of(&whole, ranges, soon()).unwrap()
}

#[test]
fn commits_between_the_ranges_are_of_others() {
    let repository = Repository::new();
    let start = repository.head();
    let one = repository.commit_all();
    let two = repository.commit_all();
    let three = repository.commit_all();
    let first = range(&start, &one);
    assert!(consists_of(&repository, &start, &[first.clone(), range(&one, &three)]));
    assert!(!consists_of(&repository, &start, &[first.clone(), range(&two, &three)]));
    assert!(!consists_of(&repository, &start, &[first]));
    assert!(consists_of(&repository, &three, &[]), "nothing happened");
}

#[test]
fn a_merge_counts_as_one_commit() {
    let repository = Repository::with_disagreement();
    let start = repository.head();
    repository.git(&["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    let merge = repository.head();
    assert!(consists_of(&repository, &start, &[range(&start, &merge)]));
    assert!(!consists_of(&repository, &start, &[]));
}

#[test]
fn ranges_without_the_start_are_of_others() {
    let repository = Repository::with_disagreement();
    let other = CommitId::new(&repository.git(&["rev-parse", "other"])).unwrap();
    let head = repository.head();
    assert!(!consists_of(&repository, &other, &[range(&other, &head)]));
    // The start was merged in: the first parents do not reach it.
    repository.git(&["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    let merge = repository.head();
    assert!(!consists_of(&repository, &other, &[range(&other, &merge)]));
    repository.git(&["reset", "-q", "--hard", "HEAD~2"]);
    assert!(!consists_of(&repository, &head, &[]), "HEAD went back");
}

fn is_in_other_refs(repository: &Repository, from: &CommitId) -> bool {
    let whole = range(from, &repository.head());
    repository.tree().is_in_other_refs(&whole, &["main", "wip/failed"], soon()).unwrap()
}

#[test]
fn own_branches_backups_and_stashes_do_not_count() {
    let repository = Repository::new();
    let start = repository.head();
    repository.commit_all();
    let head = repository.commit_all();
    repository.git(&["branch", "wip/failed"]);
    repository.git(&["branch", "older", start.as_str()]);
    repository.tree().backup_ref("run/US-1", &head, soon()).unwrap();
    repository.write("README", "stashed");
    repository.git(&["stash", "-q"]);
    assert!(!is_in_other_refs(&repository, &start));
    assert!(!is_in_other_refs(&repository, &head), "nothing to have");
}

#[test]
fn any_other_ref_to_any_of_the_commits_counts() {
    for name in [
        "refs/heads/mine",
        "refs/heads/wip",
        "refs/tags/v1",
        "refs/remotes/origin/main",
        "refs/x/y",
    ] {
        let repository = Repository::new();
        let start = repository.head();
        let first = repository.commit_all();
        repository.commit_all();
        repository.git(&["update-ref", name, first.as_str()]);
        repository.git(&["pack-refs", "--all"]);
        assert!(is_in_other_refs(&repository, &start), "{name}");
    }
}
