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
    repository.write("skipped", "changed");
    assert_eq!(repository.status(), [""; 0]);
    let tree = repository.tree();
    let unwatched = tree.unwatched(soon()).unwrap();
    assert_eq!(unwatched, ["assumed", "skipped"]);
    tree.watch(&unwatched, soon()).unwrap();
    assert_eq!(tree.unwatched(soon()).unwrap(), [""; 0]);
    assert_eq!(repository.status(), [" M assumed", " M skipped"]);
}

#[test]
fn what_a_sparse_checkout_took_off_the_disk_comes_back_and_stays() {
    let repository = Repository::new();
    for name in ["seen/a", "hidden/b", "hidden/ü c"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.git(&["branch", "other"]);
    repository.git(&["sparse-checkout", "set", "seen"]);
    assert!(!repository.at("hidden").exists());
    let tree = repository.tree();
    tree.watch(&tree.unwatched(soon()).unwrap(), soon()).unwrap();
    assert_eq!(repository.read("hidden/ü c"), "x");
    assert_eq!(repository.status(), [""; 0]);
    repository.git(&["switch", "-q", "other"]);
    assert_eq!(repository.read("hidden/b"), "x");
}

#[test]
fn a_sparse_checkout_that_was_there_before_stays_as_it_was() {
    let repository = Repository::new();
    for name in ["seen/a", "hidden/b"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.git(&["sparse-checkout", "set", "seen"]);
    let before = repository.tree().unwatched(soon()).unwrap();
    assert_eq!(before, ["hidden/b"]);
    repository.git(&["update-index", "--skip-worktree", "seen/a"]);
    repository.remove("seen/a");
    repository.tree().watch(&["seen/a"], soon()).unwrap();
    assert_eq!(repository.read("seen/a"), "x");
    assert_eq!(repository.tree().unwatched(soon()).unwrap(), before);
    assert_eq!(repository.status(), [""; 0]);
}
