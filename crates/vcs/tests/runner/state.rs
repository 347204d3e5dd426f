//! The state of a work tree.

#[cfg(unix)]
use std::time::{Duration, Instant};

use vcs::{DirtyKind, Operation, VcsError};

use crate::repository::{ODD_NAMES, Repository, soon};

#[test]
fn a_clean_tree_has_a_commit_and_a_branch() {
    let repository = Repository::new();
    let state = repository.state();
    assert_eq!(state.head, Some(repository.head()));
    assert_eq!(state.branch.as_deref(), Some("main"));
    assert_eq!(state.dirty, []);
    assert_eq!(state.operation, None);
}

#[test]
fn before_the_first_commit_there_is_a_branch_without_one() {
    let repository = Repository::unborn();
    repository.write("first", "x");
    let state = repository.state();
    assert_eq!((state.head, state.branch.as_deref()), (None, Some("main")));
    assert_eq!(state.dirty[0].path, "first");
}

#[test]
fn a_detached_head_is_on_no_branch() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "--detach"]);
    let state = repository.state();
    assert_eq!((state.head, state.branch), (Some(repository.head()), None));
}

#[test]
fn names_are_unchanged() {
    let repository = Repository::new();
    for name in ODD_NAMES {
        repository.write(name, "x");
    }
    let mut names: Vec<String> =
        repository.state().dirty.into_iter().map(|dirty| dirty.path).collect();
    let mut expected = ODD_NAMES.map(str::to_owned);
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
}

/// The hooks read another format of the same data.
#[test]
fn the_hooks_see_the_same_dirty_paths() {
    let repository = Repository::new();
    for name in ["gone", "removed", "both", "app/inside"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.write("README", "changed");
    repository.remove("gone");
    repository.git(&["rm", "-q", "removed"]);
    repository.write("both", "staged");
    repository.git(&["add", "both"]);
    repository.write("both", "and more");
    repository.write("app/new", "x");
    repository.write("added", "x");
    repository.git(&["add", "added"]);
    let tree = repository.tree_in("app");
    let seen = tree.state(soon()).unwrap().dirty;
    assert_eq!(seen, tree.start_status().unwrap().finish(soon()).unwrap());
    assert_eq!(seen.len(), 6);
}

#[test]
fn operations_in_progress_are_detected_and_block_commits() {
    for (command, operation) in [
        ("merge", Operation::Merge),
        ("rebase", Operation::Rebase),
        ("cherry-pick", Operation::CherryPick),
    ] {
        let repository = Repository::with_disagreement();
        repository.run_into_conflict(command);
        let state = repository.state();
        assert_eq!(state.operation, Some(operation));
        assert_eq!(state.dirty[0].kind, DirtyKind::Conflicted);
        let refused = repository.tree().commit_paths(&["README"], "x", soon());
        assert!(
            matches!(refused, Err(VcsError::OperationInProgress(found)) if found == operation),
            "{refused:?}"
        );
        let conflict = state.dirty[0].path.clone();
        repository.tree().quit_operation(operation, soon()).unwrap();
        let quit = repository.state();
        assert_eq!(quit.operation, None, "{command}");
        assert_eq!(quit.dirty[0].path, conflict, "nothing is lost");
        assert!(repository.tree().commit_paths(&[conflict], "kept", soon()).unwrap().is_some());
        assert_eq!(repository.state().dirty, []);
    }
}

#[test]
fn a_revert_and_a_bisect_are_detected() {
    let repository = Repository::with_disagreement();
    repository.run_into_conflict("revert --no-edit");
    assert_eq!(repository.state().operation, Some(Operation::Revert));
    repository.tree().quit_operation(Operation::Revert, soon()).unwrap();
    assert_eq!(repository.state().operation, None);
    let repository = Repository::new();
    repository.git(&["bisect", "start"]);
    assert_eq!(repository.state().operation, Some(Operation::Bisect));
}

#[test]
fn a_linked_work_tree_has_its_own_operations() {
    let repository = Repository::with_disagreement();
    repository.git(&["worktree", "add", "-q", "linked"]);
    repository.run_into_conflict("merge");
    assert_eq!(repository.tree_in("linked").state(soon()).unwrap().operation, None);
    repository.git(&["-C", "linked", "bisect", "start"]);
    let linked = repository.tree_in("linked").state(soon()).unwrap();
    assert_eq!(linked.operation, Some(Operation::Bisect));
}

#[cfg(unix)]
#[test]
fn a_git_that_exceeds_its_deadline_is_an_error() {
    let repository = Repository::new();
    let filter = repository.script(".git/hang", "exec sleep 30");
    repository.write(".git/info/attributes", "README filter=slow");
    repository.git(&["config", "filter.slow.clean", &filter]);
    let size = repository.read("README").len();
    repository.write("README", &"x".repeat(size));
    let answer = repository.tree().state(Instant::now() + Duration::from_secs(3));
    assert!(matches!(answer, Err(VcsError::NoAnswer { command: "status", .. })), "{answer:?}");
}

#[cfg(unix)]
#[test]
fn programs_of_repository_settings_do_not_run() {
    let repository = Repository::new();
    let program = repository.script(".git/run", "touch ran; exit 1");
    repository.git(&["config", "core.fsmonitor", &program]);
    repository.script(".git/hooks/post-checkout", "touch ran");
    repository.tree().state(soon()).unwrap();
    repository.tree().prepare_branch("other", soon()).unwrap();
    assert!(!repository.at("ran").exists() && !repository.at(".git/ran").exists());
}

#[test]
fn an_unfinished_patch_series_is_quit_and_files_stay() {
    let repository = Repository::with_disagreement();
    let series = "!git format-patch -1 other --stdout | git am -3 >&2; test $? != 0";
    repository.git(&["-c", &format!("alias.x={series}"), "x"]);
    let state = repository.state();
    assert_eq!(state.operation, Some(Operation::Am));
    repository.tree().quit_operation(Operation::Am, soon()).unwrap();
    let quit = repository.state();
    assert_eq!((quit.operation, quit.head, quit.dirty), (None, state.head, state.dirty));
}

#[test]
fn broken_state_files_of_an_operation_are_removed() {
    for mark in [
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "MERGE_HEAD",
        "BISECT_LOG",
        "rebase-merge",
        "rebase-merge/x",
        "rebase-apply/applying",
        "rebase-apply/x",
    ] {
        let repository = Repository::new();
        let before = repository.state();
        repository.write(&format!(".git/{mark}"), "garbage");
        let Some(operation) = repository.state().operation else { panic!("{mark}") };
        repository.tree().quit_operation(operation, soon()).unwrap();
        assert_eq!(repository.state(), before, "{mark}");
    }
}

#[test]
fn nested_operations_are_all_quit() {
    let repository = Repository::new();
    for mark in ["CHERRY_PICK_HEAD", "MERGE_HEAD", "rebase-merge/x"] {
        repository.write(&format!(".git/{mark}"), "garbage");
    }
    repository.tree().quit_operation(Operation::Rebase, soon()).unwrap();
    assert_eq!(repository.state().operation, None);
}

#[test]
fn a_rebase_with_an_autostash_is_not_removed() {
    let repository = Repository::new();
    repository.write(".git/rebase-merge/autostash", "a commit");
    repository.write(".git/config", "[nonsense");
    let left = repository.tree().quit_operation(Operation::Rebase, soon());
    assert!(matches!(left, Err(VcsError::Failed { .. })), "{left:?}");
    assert!(repository.at(".git/rebase-merge/autostash").exists());
}
