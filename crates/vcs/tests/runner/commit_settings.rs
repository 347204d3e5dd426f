//! Commits that the project cannot block: hooks, signing, identity, locks.

use std::time::{Duration, Instant};

use vcs::{CommitId, VcsError};

use crate::repository::{Repository, soon};

fn commit_new(repository: &Repository) -> Result<Option<CommitId>, VcsError> {
    repository.write("new", "x");
    repository.tree().commit_paths(&["new"], "kept", soon())
}

#[cfg(unix)]
#[test]
fn hooks_that_fail_do_not_stop_a_commit() {
    let repository = Repository::new();
    for hook in ["pre-commit", "commit-msg", "prepare-commit-msg", "reference-transaction"] {
        repository.script(&format!(".git/hooks/{hook}"), "exit 1");
    }
    assert_eq!(commit_new(&repository).unwrap(), Some(repository.head()));
}

#[test]
fn a_commit_that_cannot_be_signed_is_made_without() {
    let repository = Repository::new();
    repository.git(&["config", "commit.gpgsign", "true"]);
    repository.git(&["config", "gpg.program", "no-such-program"]);
    assert_eq!(commit_new(&repository).unwrap(), Some(repository.head()));
}

#[cfg(unix)]
#[test]
fn a_commit_is_signed_where_that_works() {
    let repository = Repository::new();
    let signer = "cat >/dev/null; echo '[GNUPG:] SIG_CREATED x' >&2; echo SIGNED-SO";
    let gpg = repository.script(".git/gpg", signer);
    repository.git(&["config", "commit.gpgsign", "true"]);
    repository.git(&["config", "gpg.program", &gpg]);
    commit_new(&repository).unwrap().unwrap();
    let text = repository.git(&["cat-file", "commit", "HEAD"]);
    assert!(text.contains("gpgsig SIGNED-SO"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_hanging_signer_times_out() {
    let repository = Repository::new();
    let gpg = repository.script(".git/gpg", "exec sleep 600");
    repository.git(&["config", "commit.gpgsign", "true"]);
    repository.git(&["config", "gpg.program", &gpg]);
    repository.write("new", "x");
    let deadline = Instant::now() + Duration::from_secs(4);
    let made = repository.tree().commit_paths(&["new"], "kept", deadline).unwrap();
    assert_eq!(made, Some(repository.head()));
}

#[test]
fn the_configured_identity_commits() {
    let repository = Repository::new();
    commit_new(&repository).unwrap().unwrap();
    let who = repository.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Somebody <somebody@localhost> Somebody <somebody@localhost>");
}

/// An empty name in the repository's settings hides the user's.
#[test]
fn without_an_identity_the_runner_commits() {
    let repository = Repository::new();
    repository.git(&["config", "user.name", ""]);
    commit_new(&repository).unwrap().unwrap();
    let who = repository.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Ralph Loop <ralph@localhost> Ralph Loop <ralph@localhost>");
}

#[test]
fn a_persistent_lock_is_an_error_without_changes() {
    let repository = Repository::new();
    repository.git(&["branch", "other"]);
    repository.write(".git/index.lock", "");
    repository.write("README", "changed");
    let head = repository.head();
    let tree = repository.tree();
    // In parallel, because each waits for the full lock timeout.
    let results = std::thread::scope(|scope| {
        let committed = scope.spawn(|| tree.commit_paths(&["README"], "kept", soon()).map(drop));
        let restored = scope.spawn(|| tree.restore_paths(&head, &["README"], soon()));
        let switched = scope.spawn(|| tree.prepare_branch("other", soon()).map(drop));
        [committed, restored, switched].map(|call| call.join().unwrap())
    });
    let lock = repository.path().canonicalize().unwrap().join(".git/index.lock");
    for refused in results {
        let named = matches!(&refused, Err(VcsError::Locked { lock: found }) if *found == lock);
        assert!(named, "{refused:?}");
    }
    assert_eq!(repository.head(), head);
    assert_eq!(repository.read("README"), "changed");
}

#[test]
fn a_linked_work_tree_has_its_own_lock() {
    let repository = Repository::new();
    repository.git(&["worktree", "add", "-q", "linked"]);
    repository.write(".git/index.lock", "");
    repository.write("linked/new", "x");
    let tree = repository.tree_in("linked");
    assert!(tree.commit_paths(&["new"], "kept", soon()).unwrap().is_some());
    repository.write(".git/worktrees/linked/index.lock", "");
    repository.write("linked/new", "y");
    let refused = tree.commit_paths(&["new"], "kept", soon());
    assert!(
        matches!(&refused, Err(VcsError::Locked { lock }) if lock.ends_with("linked/index.lock")),
        "{refused:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_timed_out_git_leaves_no_lock() {
    let repository = Repository::new();
    let filter = repository.script(".git/filter", "touch .git/asked; exec sleep 600");
    repository.git(&["config", "filter.slow.clean", &filter]);
    repository.write(".gitattributes", "new filter=slow\n");
    repository.write("new", "x");
    // On a busy machine git may not reach its filter before the first deadline.
    let asked = (0..).map(|number| Duration::from_secs(1 << number)).find(|patience| {
        let answer = repository.tree().commit_paths(&["new"], "kept", Instant::now() + *patience);
        assert!(matches!(answer, Err(VcsError::NoAnswer { .. })), "{answer:?}");
        repository.at(".git/asked").exists()
    });
    assert!(asked.is_some(), "git was in the middle of it");
    assert!(!repository.at(".git/index.lock").exists());
}
