//! Commits of exactly the given paths.

use vcs::VcsError;

use crate::repository::{ODD_NAMES, Repository, soon};

fn commit(repository: &Repository, paths: &[&str]) -> Option<vcs::CommitId> {
    repository.tree().commit_paths(paths, "kept\n\nWhy.", soon()).unwrap()
}

#[test]
fn added_changed_and_deleted_files_are_committed_and_nothing_else() {
    let repository = Repository::new();
    repository.write("gone", "x");
    repository.write("other", "x");
    let before = repository.commit_all();
    repository.write("README", "changed");
    repository.write("deep/new", "x");
    repository.remove("gone");
    repository.write("other", "mine");
    repository.write("untracked", "mine");
    let made = commit(&repository, &["README", "deep/new", "gone"]).unwrap();
    assert_eq!(made, repository.head());
    assert_eq!(repository.last_commit(), ["M README", "A deep/new", "D gone"]);
    assert_eq!(repository.status(), [" M other", "?? untracked"]);
    assert_eq!(repository.git(&["log", "-1", "--format=%B"]), "kept\n\nWhy.");
    assert_eq!(repository.git(&["rev-parse", "HEAD^"]), before.as_str());
    assert_eq!(repository.git(&["log", "-1", "-g", "--format=%gs", "main"]), "commit: kept");
}

#[test]
fn what_the_user_staged_stays_staged() {
    let repository = Repository::new();
    repository.write("theirs", "x");
    repository.write("removed", "x");
    repository.commit_all();
    repository.write("theirs", "staged");
    repository.git(&["add", "theirs"]);
    repository.write("theirs", "and changed again");
    repository.git(&["rm", "-q", "removed"]);
    repository.write("fresh", "x");
    repository.git(&["add", "fresh"]);
    repository.write("README", "ours");
    assert!(commit(&repository, &["README"]).is_some());
    assert_eq!(repository.last_commit(), ["M README"]);
    assert_eq!(repository.status(), ["A  fresh", "D  removed", "MM theirs"]);
    assert_eq!(repository.git(&["show", ":theirs"]), "staged");
}

#[test]
fn nothing_to_commit_makes_no_commit() {
    let repository = Repository::new();
    let head = repository.head();
    repository.write("theirs", "x");
    repository.git(&["add", "theirs"]);
    assert_eq!(commit(&repository, &["README", "never-was"]), None);
    assert_eq!(commit(&repository, &[]), None);
    assert_eq!(repository.head(), head);
}

#[test]
fn the_first_commit_of_a_repository() {
    let repository = Repository::unborn();
    assert_eq!(commit(&repository, &["none"]), None);
    repository.write("first", "x");
    repository.write("theirs", "x");
    repository.git(&["add", "theirs"]);
    assert_eq!(commit(&repository, &["first"]), Some(repository.head()));
    assert_eq!(repository.last_commit(), ["A first"]);
    assert_eq!(repository.status(), ["A  theirs"]);
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
}

#[test]
fn a_detached_head_moves_alone() {
    let repository = Repository::new();
    let main = repository.head();
    repository.git(&["checkout", "-q", "--detach"]);
    repository.write("new", "x");
    assert_eq!(commit(&repository, &["new"]), Some(repository.head()));
    assert_eq!(repository.git(&["rev-parse", "main"]), main.as_str());
}

#[test]
fn names_are_names_and_never_patterns() {
    for name in ODD_NAMES {
        let repository = Repository::new();
        repository.write(name, "x");
        repository.write("xyz", "untouched");
        assert!(commit(&repository, &[name]).is_some(), "{name}");
        let shown =
            repository.at(name).strip_prefix(repository.path()).unwrap().display().to_string();
        assert_eq!(repository.last_commit(), [format!("A {shown}")]);
        assert_eq!(repository.status(), ["?? xyz"]);
        repository.remove(name);
        assert!(commit(&repository, &[name]).is_some(), "{name}");
        assert_eq!(repository.last_commit(), [format!("D {shown}")]);
    }
}

#[test]
fn a_file_becomes_a_folder_with_either_part_staged() {
    for staged in [false, true] {
        let repository = Repository::new();
        repository.write("a", "x");
        repository.commit_all();
        repository.remove("a");
        repository.write("a/b", "x");
        repository.write("a/theirs", "x");
        if staged {
            repository.git(&["add", "a/b"]);
        }
        assert!(commit(&repository, &["a/b", "a"]).is_some());
        assert_eq!(repository.last_commit(), ["D a", "A a/b"]);
        assert_eq!(repository.status(), ["?? a/theirs"]);
    }
}

#[test]
fn a_folder_becomes_a_file() {
    let repository = Repository::new();
    repository.write("d/x", "x");
    repository.commit_all();
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    repository.write("d", "x");
    assert!(commit(&repository, &["d", "d/x"]).is_some());
    assert_eq!(repository.last_commit(), ["A d", "D d/x"]);
    assert_eq!(repository.status(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_are_committed_as_links() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    repository.write("d/x", "x");
    repository.write("real/x", "x");
    repository.commit_all();
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    symlink("real", repository.at("d")).unwrap();
    assert!(commit(&repository, &["d", "d/x"]).is_some());
    assert_eq!(repository.last_commit(), ["A d", "D d/x"]);
    assert!(repository.git(&["ls-tree", "HEAD", "d"]).starts_with("120000 "));
    assert_eq!(repository.read("real/x"), "x");
}

#[cfg(unix)]
#[test]
fn the_executable_bit_is_committed() {
    let repository = Repository::new();
    repository.script("run", "true");
    assert!(commit(&repository, &["run"]).is_some());
    assert!(repository.git(&["ls-tree", "HEAD", "run"]).starts_with("100755 "));
}

#[test]
fn a_project_in_a_folder_names_paths_from_there() {
    let repository = Repository::new();
    repository.write("apps/web/inside", "x");
    repository.write("libs/outside", "x");
    repository.write("libs/other", "x");
    let tree = repository.tree_in("apps/web");
    let paths = ["inside", "../../libs/outside"];
    assert!(tree.commit_paths(&paths, "kept", soon()).unwrap().is_some());
    assert_eq!(repository.last_commit(), ["A apps/web/inside", "A libs/outside"]);
    assert_eq!(repository.status(), ["?? libs/other"]);
}

#[test]
fn ignored_files_are_left_out_unless_they_are_tracked() {
    let repository = Repository::new();
    repository.write("tracked.log", "x");
    repository.write("untracked-now.log", "x");
    repository.commit_all();
    repository.write(".gitignore", "*.log\nbuild/\n");
    repository.git(&["rm", "-q", "--cached", "untracked-now.log"]);
    repository.write("tracked.log", "changed");
    repository.write("new.log", "x");
    repository.write("build/out", "x");
    let paths = [".gitignore", "tracked.log", "untracked-now.log", "new.log", "build/out"];
    assert!(commit(&repository, &paths).is_some());
    assert_eq!(repository.last_commit(), ["A .gitignore", "M tracked.log", "D untracked-now.log"]);
    assert_eq!(repository.status(), [""; 0]);
    assert_eq!(repository.read("untracked-now.log"), "x");
}

/// As a pattern, `[ab].log` would match the tracked file.
#[test]
fn an_ignored_file_whose_name_looks_like_a_pattern_is_left_out() {
    let repository = Repository::new();
    repository.write("a.log", "x");
    repository.commit_all();
    repository.write(".gitignore", "*.log\n");
    repository.write("[ab].log", "x");
    assert_eq!(commit(&repository, &["[ab].log"]), None);
    assert_eq!(repository.status(), ["?? .gitignore"]);
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let repository = Repository::new();
    for path in ["../x", "/etc/passwd", ".git/config", ""] {
        let refused = repository.tree().commit_paths(&[path], "x", soon());
        assert!(matches!(refused, Err(VcsError::InvalidPath { .. })), "{path}: {refused:?}");
    }
}

#[test]
fn a_submodule_is_committed_without_its_files() {
    let repository = Repository::new();
    repository.write(".git/source/x", "x");
    test_repo::init(&repository.at(".git/source"));
    test_repo::commit_all(&repository.at(".git/source"));
    let source = repository.at(".git/source");
    let source = source.to_str().unwrap();
    let allow = ["-c", "protocol.file.allow=always"];
    repository.git(&[&allow[..], &["submodule", "add", "-q", source, "sub"]].concat());
    repository.commit_all();
    repository.write("sub/new", "x");
    let refused = repository.tree().commit_paths(&["sub/new"], "x", soon());
    assert!(matches!(refused, Err(VcsError::OwnRepository { .. })), "{refused:?}");
    assert_eq!(commit(&repository, &["sub"]), None);
    test_repo::commit_all(&repository.at("sub"));
    assert!(commit(&repository, &["sub"]).is_some());
    assert_eq!(repository.last_commit(), ["M sub"]);
}

#[test]
fn a_nested_repository_is_not_committed() {
    let repository = Repository::new();
    repository.write("nested/x", "x");
    test_repo::init(&repository.at("nested"));
    test_repo::commit_all(&repository.at("nested"));
    assert_eq!(repository.state().dirty[0].path, "nested/");
    repository.write("new", "x");
    assert!(commit(&repository, &["nested/", "new"]).is_some());
    assert_eq!(repository.last_commit(), ["A new"]);
}

#[cfg(unix)]
#[test]
fn a_file_replaced_by_a_special_file_is_committed_as_removed() {
    let repository = Repository::new();
    repository.remove("README");
    let _socket = std::os::unix::net::UnixListener::bind(repository.at("README")).unwrap();
    assert!(commit(&repository, &["README"]).is_some());
    assert_eq!(repository.last_commit(), ["D README"]);
    repository.tree().restore_paths(&before_last(&repository), &["README"], soon()).unwrap();
    assert!(repository.at("README").is_file());
}

#[cfg(unix)]
fn before_last(repository: &Repository) -> vcs::CommitId {
    vcs::CommitId::new(&repository.git(&["rev-parse", "HEAD^"])).unwrap()
}
