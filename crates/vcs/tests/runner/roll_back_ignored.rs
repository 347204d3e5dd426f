//! Ignored files and nested repositories in a rollback.

use std::fs;

use vcs::{NotRestored, NotRestoredReason};

use crate::picture::Picture;
use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing, roll_back, undoes};

fn with_rules(rules: &str) -> Repository {
    let repository = Repository::new();
    repository.write(".gitignore", rules);
    repository.commit_all();
    repository
}

fn left(path: &str, why: NotRestoredReason) -> NotRestored {
    NotRestored { path: path.into(), why }
}

#[test]
fn new_ignored_files_are_removed_and_old_ones_stay() {
    let repository = with_rules("target/\nnode_modules/\n.env\n*.log\n");
    repository.write("target/debug/old", "mine");
    repository.write(".env", "secret");
    let rolled = undoes(&repository, || {
        repository.write("target/debug/new", "x");
        repository.write("target/release/new", "x");
        repository.write("node_modules/a/b/c", "x");
        repository.write("src/x.log", "x");
    });
    assert_eq!(rolled.removed, ["node_modules/", "src/", "target/debug/new", "target/release/"]);
    assert_eq!(rolled.left, []);
}

#[test]
fn a_changed_or_deleted_ignored_file_is_reported() {
    let repository = with_rules("*.env\ncache/\n");
    for name in ["a.env", "b.env", "c.env", "cache/x/1", "cache/x/2", "cache/y"] {
        repository.write(name, "mine");
    }
    let to = checkpoint(&repository);
    repository.write("a.env", "another size");
    repository.remove("b.env");
    fs::remove_dir_all(repository.at("cache/x")).unwrap();
    let rolled = roll_back(&repository, &to);
    assert_eq!(
        rolled.left,
        [
            left("a.env", NotRestoredReason::Changed),
            left("b.env", NotRestoredReason::Gone),
            left("cache/x/", NotRestoredReason::Gone),
        ]
    );
    assert_eq!(repository.read("a.env"), "another size");
}

#[test]
fn changed_ignore_rules_have_no_effect() {
    let repository = with_rules("ignored\n");
    repository.write("ignored", "mine");
    repository.write("untracked", "mine");
    undoes(&repository, || {
        repository.write(".gitignore", "untracked\nhidden\n");
        repository.write("hidden", "x");
        repository.write("deep/.gitignore", "!*\n");
        repository.write("deep/ignored", "x");
        repository.commit_all();
    });
}

#[test]
fn a_committed_ignored_file_stays() {
    let repository = with_rules(".env\n");
    repository.write(".env", "secret");
    let rolled = undoes(&repository, || {
        repository.git(&["add", "-f", ".env"]);
        repository.git(&["commit", "-q", "-m", "all of it"]);
    });
    assert_eq!((rolled.removed, rolled.left), (vec![], vec![]));
}

#[test]
fn a_folder_in_place_of_an_ignored_file_is_removed_and_the_file_reported() {
    let repository = with_rules(".env\n");
    repository.write(".env", "secret");
    let to = checkpoint(&repository);
    repository.remove(".env");
    repository.write(".env/x", "x");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, [".env/"]);
    assert_eq!(rolled.left, [left(".env", NotRestoredReason::Gone)]);
    assert!(!repository.at(".env").exists());
}

#[test]
fn a_new_repository_is_removed() {
    let repository = with_rules("ignored/\n");
    repository.write("src/code", "x");
    repository.commit_all();
    let rolled = undoes(&repository, || {
        for name in ["nested", "ignored/nested", "src"] {
            repository.write(&format!("{name}/x"), "x");
            test_repo::init(&repository.at(name));
            test_repo::commit_all(&repository.at(name));
        }
    });
    assert_eq!(rolled.removed, ["ignored/", "nested/", "src/.git/", "src/x"]);
}

#[test]
fn an_old_repository_stays() {
    let repository = with_rules("ignored/\n");
    for name in ["nested", "ignored/nested"] {
        repository.write(&format!("{name}/x"), "x");
        test_repo::init(&repository.at(name));
    }
    let to = checkpoint(&repository);
    repository.write("nested/new", "theirs");
    repository.write("ignored/new", "x");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["ignored/new"]);
    assert_eq!(repository.read("nested/new"), "theirs");
    fs::remove_dir_all(repository.at("nested")).unwrap();
    assert_eq!(roll_back(&repository, &to).left, [left("nested", NotRestoredReason::Gone)]);
    repository.write("nested", "a file");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["nested"]);
    assert_eq!(rolled.left, [left("nested", NotRestoredReason::Gone)]);
}

#[test]
fn an_old_repository_with_tracked_files_is_a_normal_folder() {
    let repository = Repository::new();
    repository.write("src/code", "x");
    repository.commit_all();
    test_repo::init(&repository.at("src"));
    let rolled = undoes(&repository, || {
        repository.write("src/code", "changed");
        repository.write("src/new", "x");
    });
    assert_eq!(rolled.removed, ["src/new"]);
}

#[test]
fn moved_submodules_stay_and_are_reported() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let to = checkpoint(&repository);
    repository.write("sub/inner", "two");
    let moved = test_repo::commit_all(&repository.at("sub"));
    repository.write("README", "changed");
    repository.commit_all();
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.left, [left("sub", NotRestoredReason::Submodule)]);
    assert_eq!(test_repo::git(&repository.at("sub"), &["rev-parse", "HEAD"]), moved);
    assert_eq!(
        (repository.read("README"), repository.status()),
        ("hello".into(), vec![" M sub".into()])
    );
}

#[test]
fn a_removed_submodule_is_reported_and_a_new_one_removed() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let to = checkpoint(&repository);
    repository.git(&["rm", "-q", "sub"]);
    let _other = repository.add_submodule("added");
    repository.commit_all();
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["added/"]);
    assert_eq!(rolled.left, [left("sub", NotRestoredReason::Gone)]);
    assert_eq!(repository.status(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn an_ignored_link_is_identified_by_its_target() {
    use std::os::unix::fs::symlink;
    let repository = with_rules("link\n");
    symlink("here", repository.at("link")).unwrap();
    undoes(&repository, || {
        repository.remove("link");
        symlink("here", repository.at("link")).unwrap();
    });
    let to = checkpoint(&repository);
    repository.remove("link");
    symlink("there", repository.at("link")).unwrap();
    assert_eq!(roll_back(&repository, &to).left, [left("link", NotRestoredReason::Changed)]);
}

#[test]
fn many_ignored_files_are_listed_at_once() {
    let repository = with_rules("node_modules/\n");
    for folder in 0..200 {
        for file in 0..10 {
            repository.write(&format!("node_modules/{folder}/{file}"), "");
        }
    }
    let before = Picture::of(repository.path());
    let to = repository.tree().checkpoint(nothing, soon()).unwrap();
    assert_eq!(to.ignored.files.len(), 2000);
    repository.write("node_modules/7/new", "x");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["node_modules/7/new"]);
    assert_eq!(before, Picture::of(repository.path()));
}

#[test]
fn new_ignored_files_of_unknown_origin_stay_and_are_reported() {
    let repository = Repository::new();
    repository.write(".gitignore", ".env\nout/\n");
    repository.commit_all();
    let to = checkpoint(&repository);
    for name in [".env", "out/x", "new.txt"] {
        repository.write(name, "x");
    }
    let branch = repository.git(&["branch", "--show-current"]);
    let tree = repository.tree();
    let rolled =
        tree.roll_back_and(vcs::NewIgnored::Kept, &branch, &to, |_| false, soon()).unwrap();
    let left: Vec<&str> = rolled.left.iter().map(|left| left.path.as_str()).collect();
    assert_eq!((left, rolled.removed), (vec![".env", "out/x"], vec!["new.txt".to_owned()]));
    assert!(repository.at("out/x").exists() && !repository.at("new.txt").exists());
}
