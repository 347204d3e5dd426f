//! Commits that nothing of the project can stop: hooks, signing, identity, locks.

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
fn a_signer_that_waits_for_somebody_is_not_waited_for() {
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
fn whoever_is_configured_commits() {
    let repository = Repository::new();
    commit_new(&repository).unwrap().unwrap();
    let who = repository.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Somebody <somebody@localhost> Somebody <somebody@localhost>");
}

/// An empty name in the repository's settings hides one in the user's.
#[test]
fn where_nobody_is_configured_the_loop_commits() {
    let repository = Repository::new();
    repository.git(&["config", "user.name", ""]);
    commit_new(&repository).unwrap().unwrap();
    let who = repository.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Ralph Loop <ralph@localhost> Ralph Loop <ralph@localhost>");
}

#[test]
fn a_lock_that_stays_is_an_error_that_names_it_and_nothing_happened() {
    let repository = Repository::new();
    repository.git(&["branch", "other"]);
    repository.write(".git/index.lock", "");
    repository.write("README", "changed");
    let head = repository.head();
    let tree = repository.tree();
    // All three at a time: each waits for the lock as long as a lock is waited for.
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
fn a_linked_work_tree_has_a_lock_of_its_own() {
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
fn a_git_that_is_given_up_leaves_no_lock_behind() {
    let repository = Repository::new();
    let filter = repository.script(".git/filter", "touch .git/asked; exec sleep 600");
    repository.git(&["config", "filter.slow.clean", &filter]);
    repository.write(".gitattributes", "new filter=slow\n");
    repository.write("new", "x");
    // On a busy machine git may not have come to its filter by the first deadline.
    let asked = (0..).map(|number| Duration::from_secs(1 << number)).find(|patience| {
        let answer = repository.tree().commit_paths(&["new"], "kept", Instant::now() + *patience);
        assert!(matches!(answer, Err(VcsError::NoAnswer { .. })), "{answer:?}");
        repository.at(".git/asked").exists()
    });
    assert!(asked.is_some(), "git was in the middle of it");
    assert!(!repository.at(".git/index.lock").exists());
}
