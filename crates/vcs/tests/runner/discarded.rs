//! Saving the state that a rollback discards.

use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing};

fn discarded(repository: &Repository, to: &vcs::Checkpoint) -> Option<vcs::CommitId> {
    repository.tree().discarded("main", to, nothing, soon()).unwrap()
}

#[test]
fn without_changes_nothing_is_saved() {
    let repository = Repository::new();
    assert_eq!(discarded(&repository, &checkpoint(&repository)), None);
    repository.write("README", "mine");
    repository.write("new", "mine");
    assert_eq!(discarded(&repository, &checkpoint(&repository)), None);
}

#[test]
fn commits_alone_are_saved_unchanged() {
    let repository = Repository::new();
    let to = checkpoint(&repository);
    repository.write("new", "x");
    let head = repository.commit_all();
    assert_eq!(discarded(&repository, &to), Some(head));
}

#[test]
fn files_on_another_branch_are_saved_with_the_commits_of_both() {
    let repository = Repository::new();
    repository.write(".gitignore", "ignored\n");
    repository.commit_all();
    let to = checkpoint(&repository);
    repository.write("on-main", "x");
    let tip = repository.commit_all();
    repository.git(&["checkout", "-q", "-b", "agents", to.head.as_str()]);
    repository.write("on-agents", "x");
    let head = repository.commit_all();
    repository.write("README", "changed");
    repository.write("new", "x");
    repository.write("ignored", "x");
    let status = repository.status();
    let kept = discarded(&repository, &to).unwrap();
    assert_eq!(repository.names(kept.as_str()), [".gitignore", "README", "new", "on-agents"]);
    assert_eq!(repository.shown(kept.as_str(), "README"), "changed");
    let parents = repository.git(&["rev-parse", &format!("{kept}^@")]);
    assert_eq!(parents.lines().collect::<Vec<_>>(), [head.as_str(), tip.as_str()]);
    assert_eq!(repository.status(), status);
}

#[test]
fn on_a_branch_without_commits_only_files_are_saved() {
    let repository = Repository::new();
    let to = checkpoint(&repository);
    repository.git(&["checkout", "-q", "--orphan", "fresh"]);
    repository.write("README", "changed");
    let kept = discarded(&repository, &to).unwrap();
    assert_eq!(repository.shown(kept.as_str(), "README"), "changed");
    assert_eq!(repository.git(&["rev-parse", &format!("{kept}^@")]), to.head.as_str());
}
