//! Moving the branch to another commit with files of the user in the work tree.

use vcs::CommitId;

use crate::repository::{Repository, soon};

fn adopt(repository: &Repository, commit: &CommitId, keep: &[&str]) -> Vec<String> {
    repository.tree().adopt(commit, keep, soon()).unwrap()
}

/// The commit before the story, which changed `README`, removed `gone` and added `new`.
fn story() -> (Repository, CommitId) {
    let repository = Repository::new();
    repository.write("gone", "x");
    repository.write("other", "x");
    let start = repository.commit_all();
    repository.remove("gone");
    repository.write("README", "story");
    repository.write("new", "story");
    repository.commit_all();
    (repository, start)
}

#[test]
fn other_dirty_files_stay_as_they_are() {
    let (repository, start) = story();
    repository.write("other", "staged");
    repository.git(&["add", "other"]);
    repository.write("other", "and more");
    repository.write("untracked", "x");
    assert_eq!(adopt(&repository, &start, &[]), [""; 0]);
    assert_eq!(repository.status(), ["MM other", "?? untracked"]);
    assert_eq!(repository.read("other"), "and more");
    assert_eq!(repository.git(&["show", ":other"]), "staged");
}

#[test]
fn kept_files_show_as_changed_and_nothing_else_does() {
    let (repository, start) = story();
    repository.write("README", "mine");
    repository.write("gone", "mine");
    repository.write("new", "mine");
    assert_eq!(adopt(&repository, &start, &["README", "gone", "new"]), [""; 0]);
    assert_eq!(repository.status(), [" M README", " M gone", "?? new"]);
    for name in ["README", "gone", "new"] {
        assert_eq!(repository.read(name), "mine");
    }
    assert_eq!(adopt(&repository, &start, &["README", "gone", "new"]), [""; 0]);
    assert_eq!(repository.status(), [" M README", " M gone", "?? new"]);
}

#[test]
fn kept_files_stay_also_if_they_are_not_dirty() {
    let (repository, start) = story();
    assert_eq!(adopt(&repository, &start, &["README", "gone", "new"]), [""; 0]);
    assert_eq!(repository.status(), [" M README", " D gone", "?? new"]);
    assert_eq!(
        (repository.read("README"), repository.read("new")),
        ("story".into(), "story".into())
    );
}

#[test]
fn what_was_staged_stays_staged() {
    let (repository, start) = story();
    repository.write("README", "staged");
    repository.write("gone", "staged");
    repository.git(&["add", "README", "gone"]);
    repository.write("README", "and more");
    repository.git(&["rm", "-q", "new"]);
    let left = adopt(&repository, &start, &["README"]);
    assert_eq!(left, ["gone"]);
    assert_eq!(repository.status(), ["MM README", "M  gone"]);
    assert_eq!(repository.git(&["show", ":README"]), "staged");
    assert_eq!(repository.read("README"), "and more");
    assert_eq!(repository.read("gone"), "staged");
}

#[test]
fn a_staged_deletion_stays_staged() {
    for (keep, reported) in [(&["README"][..], &[][..]), (&[], &["README"])] {
        let (repository, start) = story();
        repository.git(&["rm", "-q", "README"]);
        assert_eq!(adopt(&repository, &start, keep), reported);
        assert_eq!(repository.status(), ["D  README"]);
    }
}

#[test]
fn a_kept_deletion_stays_and_any_other_comes_back() {
    let (repository, start) = story();
    repository.remove("README");
    repository.remove("new");
    assert_eq!(adopt(&repository, &start, &["README"]), [""; 0]);
    assert_eq!(repository.status(), [" D README"]);
    let (repository, start) = story();
    repository.remove("README");
    assert_eq!(adopt(&repository, &start, &[]), [""; 0]);
    assert_eq!(repository.status(), [""; 0]);
}

/// These are not declared as the user's.
#[test]
fn files_of_neither_commit_stay_and_are_reported() {
    let (repository, start) = story();
    repository.write(".git/info/exclude", "gone\n");
    for name in ["README", "gone", "new"] {
        repository.write(name, "mine");
    }
    assert_eq!(adopt(&repository, &start, &[]), ["README", "gone", "new"]);
    assert_eq!(repository.head(), start);
    assert_eq!(repository.status(), [" M README", " M gone", "?? new"]);
    for name in ["README", "gone", "new"] {
        assert_eq!(repository.read(name), "mine");
    }
}

#[test]
fn files_in_a_replaced_folder_are_not_lost() {
    let repository = Repository::new();
    repository.write("a", "file");
    repository.write("d/x", "x");
    let start = repository.commit_all();
    repository.remove("a");
    repository.write("a/b", "story");
    std::fs::remove_dir_all(repository.at("d")).unwrap();
    repository.commit_all();
    repository.write("a/mine", "x");
    repository.write("d", "mine");
    assert_eq!(adopt(&repository, &start, &[]), ["a", "d/x"]);
    assert_eq!((repository.read("a/mine"), repository.read("d")), ("x".into(), "mine".into()));
    assert!(!repository.at("a/b").exists());
    assert_eq!(repository.status(), [" D a", " D d/x", "?? a/mine", "?? d"]);
}

#[test]
fn conflicting_staged_files_stay_staged() {
    let repository = Repository::new();
    repository.write("a", "file");
    repository.write("d/x", "x");
    let start = repository.commit_all();
    repository.git(&["rm", "-q", "-r", "a", "d"]);
    repository.write("a/b", "story");
    repository.commit_all();
    repository.write("a/mine", "x");
    repository.write("d", "mine");
    repository.git(&["add", "a/mine", "d"]);
    assert_eq!(adopt(&repository, &start, &["d", "a/mine"]), ["a", "d/x"]);
    assert_eq!(repository.git(&["ls-files"]), "README\na/mine\nd");
    assert_eq!((repository.read("a/mine"), repository.read("d")), ("x".into(), "mine".into()));
}

#[test]
fn a_whole_folder_is_kept() {
    let repository = Repository::new();
    repository.write("mine/a", "x");
    let start = repository.commit_all();
    repository.write("mine/a", "story");
    repository.write("mine/deep/new", "story");
    repository.write("mine-too", "story");
    repository.commit_all();
    assert_eq!(adopt(&repository, &start, &["mine/"]), [""; 0]);
    assert_eq!(repository.status(), [" M mine/a", "?? mine/deep/new"]);
}

#[test]
fn paths_are_relative_to_the_project() {
    let repository = Repository::new();
    repository.write("apps/web/a", "x");
    let start = repository.commit_all();
    repository.write("apps/web/a", "story");
    repository.write("README", "story");
    repository.commit_all();
    repository.write("apps/web/a", "mine");
    repository.write("README", "mine");
    let tree = repository.tree_in("apps/web");
    assert_eq!(tree.adopt(&start, &["a"], soon()).unwrap(), ["../../README"]);
    assert_eq!(repository.status(), [" M README", " M apps/web/a"]);
}

#[cfg(unix)]
#[test]
fn a_changed_mode_stays() {
    use std::os::unix::fs::PermissionsExt;
    let (repository, start) = story();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repository.at("README"), executable).unwrap();
    assert_eq!(adopt(&repository, &start, &[]), ["README"]);
    assert_eq!(repository.read("README"), "story");
}

/// As after a conflicting stash: no operation is in progress.
#[test]
fn an_unresolved_conflict_stays() {
    let repository = Repository::with_disagreement();
    let first = CommitId::new(&repository.git(&["rev-parse", "HEAD^"])).unwrap();
    repository.run_into_conflict("merge");
    repository.git(&["merge", "--quit"]);
    let text = repository.read("README");
    assert_eq!(adopt(&repository, &first, &[]), ["README"]);
    assert_eq!(repository.head(), first);
    assert_eq!(repository.status(), ["UU README"]);
    assert_eq!(repository.read("README"), text);
}
