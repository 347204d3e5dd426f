//! Moving the branch to another commit: modes, links, unwritable files.

#![cfg(unix)]

use std::fs::{Permissions, metadata, read_link, set_permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use vcs::CommitId;

use crate::repository::{Repository, soon};

fn adopt(repository: &Repository, commit: &CommitId) -> Vec<String> {
    repository.tree().adopt::<&str>(commit, &[], soon()).unwrap()
}

#[test]
fn modes_and_links_are_the_commits() {
    let repository = Repository::new();
    repository.script("run", "true");
    symlink("README", repository.at("link")).unwrap();
    repository.write("plain", "x");
    let start = repository.commit_all();
    set_permissions(repository.at("run"), Permissions::from_mode(0o644)).unwrap();
    repository.remove("link");
    repository.write("link", "a file");
    repository.remove("plain");
    symlink("README", repository.at("plain")).unwrap();
    let end = repository.commit_all();
    for commit in [&start, &end, &start] {
        assert_eq!(adopt(&repository, commit), [""; 0]);
        assert_eq!(repository.status(), [""; 0]);
    }
    assert_eq!(repository.read("README"), "hello", "nothing was written through the link");
    assert_eq!(read_link(repository.at("link")).unwrap().to_str(), Some("README"));
    assert_eq!(metadata(repository.at("run")).unwrap().permissions().mode() & 0o111, 0o111);
}

#[test]
fn links_are_not_followed() {
    let repository = Repository::new();
    repository.write("d/x", "x");
    repository.write("d/gone", "x");
    let start = repository.commit_all();
    repository.write("d/x", "story");
    repository.write("d/new", "story");
    repository.remove("d/gone");
    repository.commit_all();
    let outside = tempfile::tempdir().unwrap();
    for name in ["x", "new"] {
        std::fs::write(outside.path().join(name), "story").unwrap();
    }
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    symlink(outside.path(), repository.at("d")).unwrap();
    assert_eq!(adopt(&repository, &start), ["d/gone", "d/x"]);
    assert_eq!(repository.head(), start);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 2);
    for name in ["x", "new"] {
        assert_eq!(std::fs::read_to_string(outside.path().join(name)).unwrap(), "story");
    }
    assert_eq!(repository.status(), [" D d/gone", " D d/x", "?? d"]);
}

#[test]
fn a_link_of_the_user_is_not_followed_and_stays() {
    let repository = Repository::new();
    repository.write("x", "x");
    let start = repository.commit_all();
    repository.write("x", "story");
    repository.commit_all();
    repository.write("mine", "precious");
    repository.remove("x");
    symlink("mine", repository.at("x")).unwrap();
    assert_eq!(adopt(&repository, &start), ["x"]);
    assert_eq!(repository.read("mine"), "precious");
    assert_eq!(read_link(repository.at("x")).unwrap().to_str(), Some("mine"));
}

#[test]
fn read_only_files_are_replaced() {
    let repository = Repository::new();
    repository.write("gone", "x");
    let start = repository.commit_all();
    repository.write("README", "story");
    repository.write("new", "story");
    repository.remove("gone");
    repository.commit_all();
    for name in ["README", "new"] {
        set_permissions(repository.at(name), Permissions::from_mode(0o444)).unwrap();
    }
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_eq!(repository.status(), [""; 0]);
    assert_eq!(repository.read("README"), "hello");
}

#[test]
fn hooks_do_not_run() {
    let repository = Repository::new();
    let start = repository.head();
    repository.write("README", "story");
    repository.commit_all();
    for name in ["post-checkout", "post-index-change", "reference-transaction", "post-rewrite"] {
        repository.script(&format!(".git/hooks/{name}"), "touch .git/ran; exit 1");
    }
    adopt(&repository, &start);
    assert!(!repository.at(".git/ran").exists());
}
