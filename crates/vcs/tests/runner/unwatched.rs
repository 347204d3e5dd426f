//! Files that git was told not to look at.

use crate::repository::{Repository, soon};

#[test]
fn files_that_git_was_told_not_to_look_at_are_named_and_seen_again() {
    let repository = Repository::new();
    for name in ["assumed", "skipped", "seen"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.git(&["update-index", "--assume-unchanged", "assumed"]);
    repository.git(&["update-index", "--skip-worktree", "skipped"]);
    repository.write("assumed", "changed");
    repository.remove("skipped");
    assert_eq!(repository.status(), [""; 0]);
    let tree = repository.tree();
    let unwatched = tree.unwatched(soon()).unwrap();
    assert_eq!(unwatched, ["assumed", "skipped"]);
    tree.watch(&unwatched, soon()).unwrap();
    assert_eq!(tree.unwatched(soon()).unwrap(), [""; 0]);
    assert_eq!(repository.status(), [" M assumed", " D skipped"]);
}
