//! Contents of commits, and ignored paths.

use vcs::VcsError;

use crate::repository::{ODD_NAMES, Repository, soon};

#[test]
fn a_file_is_read_as_it_was() {
    let repository = Repository::new();
    for name in ODD_NAMES {
        repository.write(name, "before\n");
    }
    let before = repository.commit_all();
    let tree = repository.tree();
    for name in ODD_NAMES {
        repository.write(name, "after");
        let found = tree.file_at(&before, name, 100, soon()).unwrap();
        assert_eq!(found.as_deref(), Some(&b"before\n"[..]), "{name}");
    }
}

#[test]
fn paths_without_a_file_are_none() {
    let repository = Repository::new();
    repository.write("folder/x", "");
    let commit = repository.commit_all();
    repository.write("new", "x");
    let tree = repository.tree();
    for name in ["new", "folder", "READ", "README/x"] {
        assert_eq!(tree.file_at(&commit, name, 100, soon()).unwrap(), None, "{name}");
    }
    assert_eq!(tree.file_at(&commit, "folder/x", 100, soon()).unwrap(), Some(Vec::new()));
    let tree = repository.tree_in("folder");
    let above = tree.file_at(&commit, "../README", 100, soon()).unwrap();
    assert_eq!(above.as_deref(), Some(&b"hello"[..]));
}

#[test]
fn a_file_is_read_up_to_the_limit_and_not_past_it() {
    let repository = Repository::new();
    let (tree, head) = (repository.tree(), repository.head());
    assert!(tree.file_at(&head, "README", 5, soon()).unwrap().is_some());
    let refused = tree.file_at(&head, "README", 4, soon());
    assert!(matches!(refused, Err(VcsError::TooLarge { bytes: 5, limit: 4, .. })), "{refused:?}");
}

#[test]
fn ignored_paths_are_returned_as_given() {
    let repository = Repository::new();
    repository.write("tracked.log", "x");
    repository.commit_all();
    repository.write(".gitignore", "*.log\nbuild/\n");
    repository.write("app/x", "x");
    repository.write("build/deep/out", "x");
    let tree = repository.tree_in("app");
    repository.write("build/kept", "x");
    let folder = ["../build"];
    assert_eq!(tree.ignores(&folder, soon()).unwrap(), folder);
    repository.git(&["add", "-f", "build/kept"]);
    assert_eq!(tree.ignores(&folder, soon()).unwrap(), [""; 0]);
    let paths = ["x.log", "../build/deep/out", "../tracked.log", "x", "../a\nb.log", "none.log"];
    let ignored = tree.ignores(&paths, soon()).unwrap();
    assert_eq!(ignored, ["x.log", "../build/deep/out", "../a\nb.log", "none.log"]);
    assert_eq!(tree.ignores(&["x"], soon()).unwrap(), [""; 0]);
    assert_eq!(tree.ignores::<&str>(&[], soon()).unwrap(), [""; 0]);
}

#[test]
fn odd_names_are_no_patterns() {
    let repository = Repository::new();
    assert_eq!(repository.tree().ignores(&ODD_NAMES, soon()).unwrap(), [""; 0]);
    repository.write(".gitignore", "*\n");
    assert_eq!(repository.tree().ignores(&ODD_NAMES, soon()).unwrap(), ODD_NAMES);
}

#[test]
fn paths_in_other_repositories_are_skipped() {
    let repository = Repository::new();
    repository.write(".gitignore", "*.log\n");
    repository.write("nested/x.log", "x");
    test_repo::init(&repository.at("nested"));
    test_repo::commit_all(&repository.at("nested"));
    let ignored = repository.tree().ignores(&["nested/x.log", "y.log"], soon()).unwrap();
    assert_eq!(ignored, ["y.log"]);
}

/// With such a setting, an agent could have a program run by any git call.
#[cfg(unix)]
#[test]
fn missing_objects_are_never_fetched() {
    let repository = Repository::new();
    repository.write("lost", "it was here");
    let commit = repository.commit_all();
    let object = repository.git(&["rev-parse", "HEAD:lost"]);
    let program = repository.script(".git/fetcher", "touch \"$0.ran\"; exit 1");
    for (name, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "elsewhere"),
        ("remote.elsewhere.url", "."),
        ("remote.elsewhere.promisor", "true"),
        ("remote.elsewhere.uploadpack", &program),
    ] {
        repository.git(&["config", name, value]);
    }
    let (folder, file) = object.trim().split_at(2);
    repository.remove(&format!(".git/objects/{folder}/{file}"));
    assert!(repository.tree().file_at(&commit, "lost", 100, soon()).is_err());
    assert!(repository.tree().start_status().unwrap().finish(soon()).is_ok());
    assert!(!repository.at(".git/fetcher.ran").exists());
}
