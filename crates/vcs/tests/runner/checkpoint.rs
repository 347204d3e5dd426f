//! The contents of a checkpoint.

use vcs::{Stamp, VcsError};

use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing};

#[test]
fn a_clean_tree_is_its_commit() {
    let repository = Repository::new();
    let to = checkpoint(&repository);
    assert_eq!((to.head, to.dirty), (repository.head(), None));
    assert_eq!(to.ignored, vcs::IgnoredBefore::default());
}

#[test]
fn uncommitted_files_become_a_commit_with_the_staged_parent() {
    let repository = Repository::new();
    repository.write("README", "staged");
    repository.git(&["add", "README"]);
    repository.write("README", "mine");
    repository.write("new", "mine");
    let (index, status) = (repository.git(&["diff", "--cached"]), repository.status());
    let dirty = checkpoint(&repository).dirty.unwrap();
    assert_eq!(repository.shown(dirty.as_str(), "README"), "mine");
    assert_eq!(repository.shown(dirty.as_str(), "new"), "mine");
    assert_eq!(repository.shown(&format!("{dirty}^2"), "README"), "staged");
    assert_eq!(repository.git(&["rev-parse", &format!("{dirty}^1")]), repository.head().as_str());
    assert_eq!((repository.git(&["diff", "--cached"]), repository.status()), (index, status));
}

#[test]
fn ignored_files_are_stamped_and_not_stored() {
    let repository = Repository::new();
    repository.write(".gitignore", "target/\n");
    repository.commit_all();
    repository.write("target/a", "four");
    let to = checkpoint(&repository);
    assert_eq!(to.dirty, None);
    assert!(matches!(to.ignored.files["target/a"], Stamp::File { bytes: 4, .. }));
}

#[test]
fn before_the_first_commit_there_is_no_checkpoint() {
    let repository = Repository::unborn();
    let refused = repository.tree().checkpoint(nothing, soon());
    assert!(matches!(refused, Err(VcsError::NoBranch)), "{refused:?}");
}
