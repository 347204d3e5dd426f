//! Rules that stand in `.git` itself, where no commit shows them.

use vcs::{Attributes, WorkTree};

use crate::repository::{Repository, soon};

#[test]
fn what_is_excluded_is_not_seen_and_what_was_there_stays() {
    let repository = Repository::new();
    std::fs::write(repository.at(".git/info/exclude"), "# mine\nold").unwrap();
    let tree = repository.tree();
    for _ in 0..2 {
        tree.exclude(&[".mark", "runs/"], soon()).unwrap();
    }
    let text = std::fs::read_to_string(repository.at(".git/info/exclude")).unwrap();
    assert_eq!(text, "# mine\nold\n/.mark\n/runs/\n");
    for name in [".mark", "runs/1/x", "old"] {
        repository.write(name, "x");
    }
    repository.write("sub/.mark", "x");
    assert_eq!(repository.status(), ["?? sub/.mark"]);
    let sub = WorkTree::open(&repository.at("sub")).unwrap();
    sub.exclude(&[".mark"], soon()).unwrap();
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn a_filter_that_nobody_sees_does_not_decide_what_is_committed() {
    let repository = Repository::new();
    let tree = repository.tree();
    let were = tree.private_attributes(soon()).unwrap();
    assert_eq!(tree.keep_attributes(&were, soon()).unwrap(), Attributes::AsTheyWere);

    repository.write(".git/info/attributes", "code filter=z\n");
    repository.git(&["config", "filter.z.clean", "echo bad; cat >/dev/null"]);
    repository.write("code", "good\n");
    repository.commit_all();
    assert_eq!(repository.git(&["show", "HEAD:code"]), "bad");
    assert_eq!(repository.status(), [""; 0], "it looks clean");

    assert_eq!(tree.keep_attributes(&were, soon()).unwrap(), Attributes::PutBack);
    assert!(!repository.at(".git/info/attributes").exists());
    assert_eq!(repository.status(), ["M  code"], "and now it does not");

    std::fs::create_dir(repository.at(".git/info/attributes")).unwrap();
    assert_eq!(tree.keep_attributes(&were, soon()).unwrap(), Attributes::PutBack);
    assert!(!repository.at(".git/info/attributes").exists());
}

#[test]
fn a_work_tree_is_where_it_lies_whatever_a_setting_says() {
    let repository = Repository::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret"), "x").unwrap();
    repository.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    repository.write("new", "x");
    let tree = repository.tree();
    let dirty: Vec<String> =
        tree.state(soon()).unwrap().dirty.into_iter().map(|dirty| dirty.path).collect();
    assert_eq!(dirty, ["new"]);
    repository.git(&["config", "extensions.worktreeConfig", "true"]);
    let there = elsewhere.path().to_str().unwrap();
    repository.git(&["config", "--worktree", "core.worktree", there]);
    tree.forget_other_work_tree(soon()).unwrap();
    tree.forget_other_work_tree(soon()).unwrap();
    assert_eq!(repository.status(), ["?? new"], "for everybody");
    tree.commit_paths(&dirty, "keep", soon()).unwrap();
    let files = repository.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, "README\nnew");
}
