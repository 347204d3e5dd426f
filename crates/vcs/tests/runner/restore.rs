//! Restoring single paths.

use vcs::{CommitId, VcsError};

use crate::repository::{ODD_NAMES, Repository, soon};

fn restore(repository: &Repository, from: &CommitId, paths: &[&str]) {
    repository.tree().restore_paths(from, paths, soon()).unwrap();
}

#[test]
fn changed_deleted_and_new_files_are_restored() {
    let repository = Repository::new();
    repository.write("gone", "content");
    repository.write("mine", "x");
    let before = repository.commit_all();
    repository.write("README", "changed");
    repository.remove("gone");
    repository.write("deep/er/new", "x");
    repository.write("committed-since", "x");
    repository.git(&["add", "committed-since"]);
    repository.git(&["commit", "-q", "-m", "review"]);
    repository.write("mine", "still being written");
    repository.write("staged", "x");
    repository.git(&["add", "staged"]);
    restore(&repository, &before, &["README", "gone", "deep/er/new", "committed-since"]);
    assert_eq!(repository.read("README"), "hello");
    assert_eq!(repository.read("gone"), "content");
    assert!(!repository.at("deep").exists());
    assert_eq!(repository.status(), ["D  committed-since", " M mine", "A  staged"]);
    assert_eq!(repository.read("mine"), "still being written");
}

#[test]
fn staged_changes_of_the_path_are_reverted_too() {
    let repository = Repository::new();
    repository.write("README", "changed");
    repository.write("added", "x");
    repository.git(&["add", "-A"]);
    restore(&repository, &repository.head(), &["README", "added"]);
    assert_eq!(repository.status(), [""; 0]);
    assert!(!repository.at("added").exists());
}

#[test]
fn names_are_names_and_never_patterns() {
    for name in ODD_NAMES {
        let repository = Repository::new();
        repository.write(name, "x");
        repository.write("xyz", "x");
        let before = repository.commit_all();
        repository.write(name, "changed");
        repository.write("xyz", "mine");
        restore(&repository, &before, &[name]);
        assert_eq!(repository.read(name), "x", "{name}");
        assert_eq!(repository.status(), [" M xyz"]);
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_replaced_if_fully_named() {
    let repository = Repository::new();
    repository.write("a", "x");
    let before = repository.commit_all();
    repository.remove("a");
    repository.write("a/b", "x");
    repository.write("a/mine", "x");
    let refused = repository.tree().restore_paths(&before, &["a", "a/b"], soon());
    assert!(matches!(&refused, Err(VcsError::PathConflict { path }) if path == "a"), "{refused:?}");
    assert_eq!(repository.read("a/b"), "x", "nothing was touched");
    restore(&repository, &before, &["a", "a/b", "a/mine"]);
    assert_eq!(repository.read("a"), "x");
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn a_file_in_place_of_a_folder_is_replaced_if_named() {
    let repository = Repository::new();
    repository.write("d/x", "x");
    let before = repository.commit_all();
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    repository.write("d", "mine");
    let refused = repository.tree().restore_paths(&before, &["d/x"], soon());
    assert!(
        matches!(&refused, Err(VcsError::PathConflict { path }) if path == "d/x"),
        "{refused:?}"
    );
    assert_eq!(repository.read("d"), "mine");
    restore(&repository, &before, &["d/x", "d"]);
    assert_eq!(repository.read("d/x"), "x");
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_restored() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = Repository::new();
    repository.script("run", "true");
    symlink("README", repository.at("link")).unwrap();
    let before = repository.commit_all();
    std::fs::set_permissions(repository.at("run"), std::fs::Permissions::from_mode(0o644)).unwrap();
    repository.remove("link");
    repository.write("link", "a file");
    restore(&repository, &before, &["run", "link"]);
    assert_eq!(repository.status(), [""; 0]);
    assert_eq!(std::fs::read_link(repository.at("link")).unwrap().to_str(), Some("README"));
    let mode = std::fs::metadata(repository.at("run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    repository.write("d/x", "x");
    let before = repository.commit_all();
    let outside = tempfile::tempdir().unwrap();
    for name in ["x", "new"] {
        std::fs::write(outside.path().join(name), "precious").unwrap();
    }
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    symlink(outside.path(), repository.at("d")).unwrap();
    restore(&repository, &before, &["d/new"]);
    assert!(repository.tree().restore_paths(&before, &["d/x"], soon()).is_err());
    restore(&repository, &before, &["d", "d/x", "d/new"]);
    for name in ["x", "new"] {
        assert_eq!(std::fs::read_to_string(outside.path().join(name)).unwrap(), "precious");
    }
    assert_eq!(repository.read("d/x"), "x");
}

#[test]
fn a_project_in_a_folder_keeps_its_folder() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("apps/web/new", "x");
    repository.write("libs/new", "x");
    repository.write("README", "changed");
    let tree = repository.tree_in("apps/web");
    let paths = ["new", "../../libs/new", "../../README"];
    tree.restore_paths(&before, &paths, soon()).unwrap();
    assert_eq!(repository.read("README"), "hello");
    assert!(repository.at("apps/web").is_dir());
    assert!(!repository.at("libs").exists());
}

#[test]
fn a_conflict_is_reverted() {
    let repository = Repository::with_disagreement();
    repository.run_into_conflict("merge");
    assert_eq!(repository.status(), ["UU README"]);
    restore(&repository, &repository.head(), &["README"]);
    assert_eq!(repository.status(), [""; 0]);
    assert_eq!(repository.read("README"), "ours");
}

#[test]
fn nested_repositories_are_refused() {
    let repository = Repository::new();
    repository.write("nested/x", "x");
    test_repo::init(&repository.at("nested"));
    for path in ["nested/", "nested/x"] {
        let refused = repository.tree().restore_paths(&repository.head(), &[path], soon());
        assert!(matches!(refused, Err(VcsError::OwnRepository { .. })), "{path}: {refused:?}");
    }
    assert_eq!(repository.read("nested/x"), "x");
}

#[test]
fn no_paths_change_nothing_and_the_commit_must_exist() {
    let repository = Repository::new();
    let unknown = CommitId::new(&"0".repeat(40)).unwrap();
    restore(&repository, &unknown, &[]);
    let error = repository.tree().restore_paths(&unknown, &["README"], soon()).unwrap_err();
    assert!(error.to_string().starts_with("git ls-tree failed: fatal: "), "{error}");
}
