//! Files that git skips because of index flags.

use crate::repository::{Repository, soon};

#[test]
fn unwatched_files_are_listed_and_watched_again() {
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
fn files_removed_by_a_sparse_checkout_are_restored() {
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
fn an_earlier_sparse_checkout_stays() {
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
