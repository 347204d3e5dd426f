//! What git ignores, or leaves to others, when a work tree goes back to a checkpoint.

use std::fs;

use vcs::{Left, WhyLeft};

use crate::picture::Picture;
use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing, roll_back, undoes};

fn with_rules(rules: &str) -> Repository {
    let repository = Repository::new();
    repository.write(".gitignore", rules);
    repository.commit_all();
    repository
}

fn left(path: &str, why: WhyLeft) -> Left {
    Left { path: path.into(), why }
}

#[test]
fn new_ignored_files_and_folders_go_and_those_of_before_stay() {
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
fn an_ignored_file_that_was_changed_or_deleted_is_told() {
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
            left("a.env", WhyLeft::Changed),
            left("b.env", WhyLeft::Gone),
            left("cache/x/", WhyLeft::Gone),
        ]
    );
    assert_eq!(repository.read("a.env"), "another size");
}

#[test]
fn other_ignore_rules_since_decide_nothing() {
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
fn an_ignored_file_that_somebody_committed_stays() {
    let repository = with_rules(".env\n");
    repository.write(".env", "secret");
    let rolled = undoes(&repository, || {
        repository.git(&["add", "-f", ".env"]);
        repository.git(&["commit", "-q", "-m", "all of it"]);
    });
    assert_eq!((rolled.removed, rolled.left), (vec![], vec![]));
}

#[test]
fn a_folder_in_the_place_of_an_ignored_file_goes_and_the_file_is_told() {
    let repository = with_rules(".env\n");
    repository.write(".env", "secret");
    let to = checkpoint(&repository);
    repository.remove(".env");
    repository.write(".env/x", "x");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, [".env/"]);
    assert_eq!(rolled.left, [left(".env", WhyLeft::Gone)]);
    assert!(!repository.at(".env").exists());
}

#[test]
fn a_new_repository_goes_wherever_it_is() {
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
fn a_repository_of_before_is_not_touched() {
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
    assert_eq!(roll_back(&repository, &to).left, [left("nested", WhyLeft::Gone)]);
    repository.write("nested", "a file");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["nested"]);
    assert_eq!(rolled.left, [left("nested", WhyLeft::Gone)]);
}

#[test]
fn a_repository_of_before_around_tracked_files_is_a_folder_like_others() {
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
fn submodules_are_left_alone_and_told_if_they_moved() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let to = checkpoint(&repository);
    repository.write("sub/inner", "two");
    let moved = test_repo::commit_all(&repository.at("sub"));
    repository.write("README", "changed");
    repository.commit_all();
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.left, [left("sub", WhyLeft::Submodule)]);
    assert_eq!(test_repo::git(&repository.at("sub"), &["rev-parse", "HEAD"]), moved);
    assert_eq!(
        (repository.read("README"), repository.status()),
        ("hello".into(), vec![" M sub".into()])
    );
}

#[test]
fn a_submodule_that_was_removed_is_told_and_one_that_was_added_goes() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let to = checkpoint(&repository);
    repository.git(&["rm", "-q", "sub"]);
    let _other = repository.add_submodule("added");
    repository.commit_all();
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["added/"]);
    assert_eq!(rolled.left, [left("sub", WhyLeft::Gone)]);
    assert_eq!(repository.status(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_link_that_git_ignores_is_known_by_where_it_leads() {
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
    assert_eq!(roll_back(&repository, &to).left, [left("link", WhyLeft::Changed)]);
}

#[test]
fn very_many_ignored_files_are_listed_in_one_go() {
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
fn where_nobody_knows_who_made_them_new_ignored_files_stay_and_are_told() {
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
        tree.roll_back_and(vcs::NewIgnored::Left, &branch, &to, |_| false, soon()).unwrap();
    let left: Vec<&str> = rolled.left.iter().map(|left| left.path.as_str()).collect();
    assert_eq!((left, rolled.removed), (vec![".env", "out/x"], vec!["new.txt".to_owned()]));
    assert!(repository.at("out/x").exists() && !repository.at("new.txt").exists());
}
