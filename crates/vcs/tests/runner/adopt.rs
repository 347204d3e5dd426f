//! Moving the branch to another commit in a clean work tree.

use std::time::{Duration, Instant};

use vcs::{CommitId, Operation, VcsError};

use crate::repository::{ODD_NAMES, Repository, soon};

fn adopt(repository: &Repository, commit: &CommitId) -> Vec<String> {
    repository.tree().adopt::<&str>(commit, &[], soon()).unwrap()
}

/// Index and work tree match HEAD, and HEAD is `commit`.
#[track_caller]
fn assert_is_at(repository: &Repository, commit: &CommitId) {
    // Without reading the files: the index has their stat data.
    assert_eq!(repository.git(&["diff-files", "--name-only"]), "");
    assert_eq!(repository.head(), *commit);
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn files_index_and_branch_become_the_commits() {
    let repository = Repository::new();
    repository.write("gone", "x");
    repository.write("app/a", "x");
    let start = repository.commit_all();
    repository.remove("gone");
    repository.write("README", "story");
    repository.write("deep/er/new", "x");
    let end = repository.commit_all();
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_is_at(&repository, &start);
    assert_eq!((repository.read("README"), repository.read("gone")), ("hello".into(), "x".into()));
    assert!(!repository.at("deep").exists());
    assert_eq!(adopt(&repository, &start), [""; 0], "once more");
    assert_is_at(&repository, &start);
    assert_eq!(adopt(&repository, &end), [""; 0], "and forth");
    assert_is_at(&repository, &end);
    assert_eq!(repository.git(&["rev-parse", "HEAD@{1}"]), start.as_str(), "git remembers");
}

#[test]
fn a_commit_on_top_is_adopted_from_a_folder_of_the_repository() {
    let repository = Repository::new();
    repository.write("apps/web/only", "x");
    let head = repository.commit_all();
    let tree = repository.tree_in("apps/web");
    let first = CommitId::new(&repository.git(&["rev-parse", "HEAD^"])).unwrap();
    let id = tree.tree_id(&first, soon()).unwrap();
    let made = tree.commit_tree(&id, &[&head], "without", soon()).unwrap();
    assert_eq!(tree.adopt::<&str>(&made, &[], soon()).unwrap(), [""; 0]);
    assert_is_at(&repository, &made);
    assert!(repository.at("apps/web").is_dir(), "the project stays where it is");
}

#[test]
fn odd_names_work() {
    let repository = Repository::new();
    for name in ODD_NAMES {
        repository.write(name, "x");
    }
    let start = repository.commit_all();
    for (at, name) in ODD_NAMES.into_iter().enumerate() {
        if at % 2 == 0 { repository.remove(name) } else { repository.write(name, "story") }
    }
    let end = repository.commit_all();
    for commit in [&start, &end] {
        assert_eq!(adopt(&repository, commit), [""; 0]);
        assert_is_at(&repository, commit);
    }
}

#[test]
fn folders_and_files_change_places() {
    let repository = Repository::new();
    repository.write("a", "file");
    repository.write("d/x/y", "x");
    let start = repository.commit_all();
    repository.remove("a");
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    repository.write("a/b/c", "x");
    repository.write("d", "file");
    let end = repository.commit_all();
    for commit in [&start, &end, &start] {
        assert_eq!(adopt(&repository, commit), [""; 0]);
        assert_is_at(&repository, commit);
    }
}

#[test]
fn line_endings_follow_settings_and_attributes() {
    let repository = Repository::new();
    repository.write(".gitattributes", "# none\n");
    repository.write("text", "one\ntwo\n");
    let start = repository.commit_all();
    repository.write(".gitattributes", "text text eol=crlf\n");
    repository.write("text", "one\r\ntwo\r\nthree\r\n");
    let end = repository.commit_all();
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_is_at(&repository, &start);
    assert_eq!(repository.read("text"), "one\ntwo\n");
    assert_eq!(adopt(&repository, &end), [""; 0]);
    assert_is_at(&repository, &end);
    assert_eq!(repository.read("text"), "one\r\ntwo\r\nthree\r\n");
    repository.remove("text");
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.git(&["checkout", "-q", "--", "text"]);
    adopt(&repository, &start);
    assert_is_at(&repository, &start);
    assert_eq!(repository.read("text"), "one\r\ntwo\r\n");
}

#[test]
fn skipped_files_stay_skipped() {
    let repository = Repository::new();
    repository.write("in/a", "x");
    repository.write("out/a", "x");
    repository.write("out/gone", "x");
    let start = repository.commit_all();
    repository.write("in/a", "story");
    repository.write("out/a", "story");
    repository.remove("out/gone");
    repository.commit_all();
    repository.git(&["sparse-checkout", "set", "in"]);
    assert!(!repository.at("out").exists());
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_eq!(repository.head(), start);
    assert_eq!(repository.read("in/a"), "x");
    assert!(!repository.at("out/a").exists());
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn a_linked_work_tree_moves_its_own_branch_alone() {
    // The second one is on another file system than the git folder, if possible.
    let places = [tempfile::tempdir(), tempfile::tempdir_in("/dev/shm")];
    assert!(places[0].is_ok());
    for elsewhere in places.into_iter().flatten() {
        let repository = Repository::new();
        let start = repository.head();
        let folder = elsewhere.path().join("linked");
        repository.git(&["worktree", "add", "-q", "-b", "run", folder.to_str().unwrap()]);
        std::fs::write(folder.join("README"), "story").unwrap();
        test_repo::commit_all(&folder);
        let tree = vcs::WorkTree::open(&folder).unwrap();
        repository.write("README", "mine");
        assert_eq!(tree.adopt::<&str>(&start, &[], soon()).unwrap(), [""; 0]);
        assert_eq!(std::fs::read_to_string(folder.join("README")).unwrap(), "hello");
        let args = ["status", "--porcelain", "--ignored"];
        assert_eq!(test_repo::git(&folder, &args), "");
        assert_eq!(repository.git(&["rev-parse", "run"]), start.as_str());
        assert_eq!(repository.status(), [" M README"]);
    }
}

#[test]
fn without_a_branch_or_during_an_operation_it_is_refused() {
    let repository = Repository::with_disagreement();
    let first = CommitId::new(&repository.git(&["rev-parse", "HEAD^"])).unwrap();
    repository.run_into_conflict("merge");
    let refused = repository.tree().adopt::<&str>(&first, &[], soon());
    assert!(matches!(refused, Err(VcsError::OperationInProgress(Operation::Merge))), "{refused:?}");
    repository.git(&["merge", "--abort"]);
    repository.git(&["checkout", "-q", "--detach"]);
    let head = repository.head();
    let refused = repository.tree().adopt::<&str>(&first, &[], soon());
    assert!(matches!(refused, Err(VcsError::NoBranch)), "{refused:?}");
    assert_eq!((repository.head(), repository.read("README")), (head, "ours".into()));
    repository.git(&["checkout", "-q", "--orphan", "unborn"]);
    let refused = repository.tree().adopt::<&str>(&first, &[], soon());
    assert!(matches!(refused, Err(VcsError::NoBranch)), "{refused:?}");
}

/// A repetition completes what a crash left undone: files, index, branch.
#[test]
fn it_can_be_repeated_after_a_crash() {
    for crash in ["files", "index", "all but the branch"] {
        let repository = Repository::new();
        repository.write("gone", "x");
        let start = repository.commit_all();
        repository.remove("gone");
        repository.write("README", "story");
        repository.write("new", "x");
        repository.commit_all();
        if crash != "index" {
            repository.write("README", "hello");
            repository.write("gone", "x");
            repository.remove("new");
        }
        if crash != "files" {
            repository.git(&["read-tree", start.as_str()]);
        }
        assert_eq!(adopt(&repository, &start), [""; 0], "{crash}");
        assert_is_at(&repository, &start);
    }
}

/// A git that exceeds its deadline is ended at any point.
#[test]
fn it_can_be_repeated_after_a_timeout() {
    let repository = Repository::new();
    for number in 0..50 {
        repository.write(&format!("changed/{number}"), "x");
        repository.write(&format!("gone/{number}"), "x");
    }
    let start = repository.commit_all();
    for number in 0..50 {
        repository.write(&format!("changed/{number}"), "story");
        repository.remove(&format!("gone/{number}"));
        repository.write(&format!("new/{number}"), "story");
    }
    let end = repository.commit_all();
    let mut patience = Duration::from_millis(5);
    loop {
        let deadline = Instant::now() + patience;
        match repository.tree().adopt::<&str>(&start, &[], deadline) {
            Ok(left) => break assert_eq!(left, [""; 0]),
            Err(error) => assert!(matches!(error, VcsError::NoAnswer { .. }), "{error}"),
        }
        assert!([&start, &end].contains(&&repository.head()));
        patience = patience * 5 / 4;
    }
    assert_is_at(&repository, &start);
}

#[test]
fn a_locked_branch_is_an_error_and_a_retry_succeeds() {
    let repository = Repository::new();
    let start = repository.head();
    repository.write("README", "story");
    let end = repository.commit_all();
    repository.write(".git/refs/heads/main.lock", "");
    let refused = repository.tree().adopt::<&str>(&start, &[], soon()).unwrap_err();
    assert!(refused.is_lock_error(), "{refused}");
    assert_eq!(repository.head(), end);
    repository.remove(".git/refs/heads/main.lock");
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_is_at(&repository, &start);
    let left = std::fs::read_dir(repository.at(".git")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("ralph-"));
    assert_eq!(left.count(), 0, "nothing is left behind");
}

/// `same` has one content in git and two on disk.
fn with_line_ends() -> (Repository, CommitId) {
    let repository = Repository::new();
    for name in ["same", "theirs", "kept"] {
        repository.write(name, "one\ntwo\n");
    }
    let start = repository.commit_all();
    repository.write(".gitattributes", "* text eol=crlf\n");
    for name in ["same", "theirs", "kept"] {
        repository.write(name, "one\r\ntwo\r\n");
    }
    repository.commit_all();
    repository.write("theirs", "one\r\nmine\r\n");
    (repository, start)
}

#[test]
fn unchanged_files_get_the_line_endings_of_the_new_attributes() {
    for crash in [false, true] {
        let (repository, start) = with_line_ends();
        if crash {
            repository.remove(".gitattributes");
        }
        assert_eq!(repository.tree().adopt(&start, &["kept"], soon()).unwrap(), [""; 0]);
        assert_eq!(repository.head(), start);
        assert_eq!(repository.read("same"), "one\ntwo\n", "{crash}");
        assert_eq!(repository.read("theirs"), "one\r\nmine\r\n", "{crash}");
        assert_eq!(repository.read("kept"), "one\r\ntwo\r\n", "{crash}");
        // An index without stat data.
        repository.git(&["read-tree", "HEAD"]);
        let changed = repository.git(&["diff", "--name-only"]);
        assert_eq!(changed.lines().collect::<Vec<_>>(), ["kept", "theirs"], "{crash}");
    }
}
