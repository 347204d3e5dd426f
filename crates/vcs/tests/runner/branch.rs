//! The branch a run works on.

use vcs::{BranchPrepared, VcsError};

use crate::repository::{Repository, soon};

fn prepare(repository: &Repository, name: &str) -> Result<BranchPrepared, VcsError> {
    repository.tree().prepare_branch(name, soon())
}

#[test]
fn a_branch_is_made_kept_and_found_again_with_the_work_in_progress() {
    let repository = Repository::new();
    let head = repository.head();
    repository.write("README", "mine");
    assert_eq!(prepare(&repository, "ralph/one").unwrap(), BranchPrepared::Created);
    assert_eq!(prepare(&repository, "ralph/one").unwrap(), BranchPrepared::AlreadyThere);
    assert_eq!(prepare(&repository, "main").unwrap(), BranchPrepared::CheckedOut);
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
    assert_eq!(repository.head(), head);
    assert_eq!(repository.read("README"), "mine");
}

#[test]
fn conflicting_changes_are_refused_and_listed() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.write("README", "theirs");
    repository.commit_all();
    repository.git(&["checkout", "-q", "main"]);
    repository.write("README", "mine");
    let refused = prepare(&repository, "other").unwrap_err();
    assert!(
        matches!(&refused, VcsError::BranchRefused { message, .. } if message.contains("\tREADME")),
        "{refused}"
    );
    assert_eq!(repository.read("README"), "mine");
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
}

#[test]
fn invalid_names_are_refused() {
    let repository = Repository::new();
    prepare(&repository, "other").unwrap();
    for name in ["", "-d", "--force", "a b", "a..b", "HEAD", "@{-1}", "x.lock", "a\nb", "a\0b"] {
        let refused = prepare(&repository, name);
        assert!(matches!(refused, Err(VcsError::InvalidBranch { .. })), "{name:?}: {refused:?}");
    }
    assert_eq!(repository.state().branch.as_deref(), Some("other"));
}

#[test]
fn before_the_first_commit_a_branch_is_a_name() {
    let repository = Repository::unborn();
    repository.write("first", "x");
    repository.git(&["add", "first"]);
    assert_eq!(prepare(&repository, "main").unwrap(), BranchPrepared::AlreadyThere);
    assert_eq!(prepare(&repository, "ralph/one").unwrap(), BranchPrepared::Created);
    assert_eq!(repository.state().branch.as_deref(), Some("ralph/one"));
    assert_eq!(repository.status(), ["A  first"]);
}

#[test]
fn a_detached_head_becomes_a_branch() {
    let repository = Repository::new();
    let first = repository.head();
    repository.commit_all();
    repository.git(&["checkout", "-q", first.as_str()]);
    assert_eq!(prepare(&repository, "ralph/one").unwrap(), BranchPrepared::Created);
    assert_eq!(repository.head(), first);
}

/// A tag or file of the same name is not the branch.
#[test]
fn tags_and_files_of_that_name_do_not_matter() {
    let repository = Repository::new();
    repository.write("README", "tagged");
    repository.commit_all();
    repository.git(&["tag", "one", "HEAD^"]);
    repository.write("one", "x");
    assert_eq!(prepare(&repository, "one").unwrap(), BranchPrepared::Created);
    assert_eq!(prepare(&repository, "main").unwrap(), BranchPrepared::CheckedOut);
    assert_eq!(prepare(&repository, "one").unwrap(), BranchPrepared::CheckedOut);
    assert_eq!(repository.state().branch.as_deref(), Some("one"));
    assert_eq!(repository.read("README"), "tagged");
}

#[test]
fn conflicting_branches_are_moved_and_keep_their_commits() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "ralph"]);
    repository.write("new", "not committed");
    let tip = repository.head().to_string();
    for other in ["ralpha", "other/x"] {
        repository.git(&["branch", other]);
    }
    assert!(matches!(prepare(&repository, "ralph/demo"), Err(VcsError::BranchRefused { .. })));
    let moved = repository.tree().free_branch_name("ralph/demo", "run/branches", soon()).unwrap();
    assert_eq!(moved, ["ralph"]);
    assert_eq!(prepare(&repository, "ralph/demo").unwrap(), BranchPrepared::Created);
    assert_eq!(repository.head().as_str(), tip);
    assert_eq!(repository.git(&["rev-parse", "refs/ralph/run/branches/ralph"]), tip);
    assert_eq!(repository.status(), ["?? new"]);
    assert_eq!(
        repository.tree().free_branch_name("other", "run/branches", soon()).unwrap(),
        ["other/x"]
    );
    assert_eq!(
        repository.git(&["branch", "--format=%(refname:short)"]),
        "main\nralph/demo\nralpha"
    );
}

#[test]
fn a_branch_of_another_work_tree_can_be_taken() {
    let repository = Repository::new();
    repository.git(&["branch", "ralph/demo"]);
    let beside = tempfile::tempdir().unwrap();
    let linked = beside.path().canonicalize().unwrap().join("linked");
    repository.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "ralph/demo"]);
    assert!(matches!(prepare(&repository, "ralph/demo"), Err(VcsError::BranchRefused { .. })));
    let tree = repository.tree();
    let found = tree.work_tree_on("ralph/demo", soon()).unwrap();
    assert_eq!(found.as_deref(), linked.to_str());
    // A conflicting branch that is checked out elsewhere stays.
    assert_eq!(tree.free_branch_name("ralph", "run", soon()).unwrap(), [""; 0]);
    assert_eq!(tree.take_branch("ralph/demo", soon()).unwrap(), BranchPrepared::CheckedOut);
    assert_eq!(repository.state().branch.as_deref(), Some("ralph/demo"));
}

#[test]
fn the_default_branch_is_that_of_origin_or_main_or_master() {
    let repository = Repository::new();
    let default = || repository.tree().default_branch(soon()).unwrap();
    assert_eq!(default().as_deref(), Some("main"));
    repository.git(&["branch", "trunk"]);
    let head = "refs/remotes/origin/HEAD";
    repository.git(&["symbolic-ref", head, "refs/remotes/origin/trunk"]);
    assert_eq!(default().as_deref(), Some("trunk"));
    for elsewhere in ["refs/remotes/origin/gone", "refs/remotes/origin/../../heads/trunk"] {
        let place = repository.at(".git").join(head);
        std::fs::write(place, format!("ref: {elsewhere}\n")).unwrap();
        assert_eq!(default().as_deref(), Some("main"), "{elsewhere}");
    }
    repository.git(&["branch", "-m", "main", "work"]);
    assert_eq!(default(), None);
}
