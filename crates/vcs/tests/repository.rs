//! Real repositories, created with the git program.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;
use std::time::{Duration, Instant};

use vcs::{CommitId, DirtyKind, NotARepository, WorkTree};

const PATIENCE: Duration = Duration::from_secs(30);

fn soon() -> Instant {
    Instant::now() + PATIENCE
}

struct Repository {
    dir: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        test_repo::init(repository.path());
        repository.write("README", "hello");
        repository.commit_all();
        repository
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(self.path(), args)
    }

    fn commit_all(&self) -> CommitId {
        CommitId::new(&test_repo::commit_all(self.path())).unwrap()
    }

    /// A file that git must pass to `program` to detect a change.
    #[cfg(unix)]
    fn filter(&self, program: &str) {
        self.write("filtered", "x");
        self.write(".gitattributes", "filtered filter=own\n");
        self.commit_all();
        self.write("filtered", "y");
        self.git(&["config", "filter.own.clean", program]);
    }

    fn dirty(&self, project: &str) -> Vec<(String, DirtyKind)> {
        let tree = WorkTree::open(&self.path().join(project)).unwrap();
        let dirty = tree.start_status().unwrap().finish(soon()).unwrap();
        dirty.into_iter().map(|dirty| (dirty.path, dirty.kind)).collect()
    }
}

#[test]
fn a_committed_tree_is_clean() {
    assert_eq!(Repository::new().dirty(""), []);
}

#[test]
fn every_kind_of_dirty_file_is_listed() {
    let repository = Repository::new();
    repository.write("gone", "x");
    repository.write("old-name", "a file that is moved away\n");
    repository.commit_all();
    repository.write("README", "changed");
    std::fs::remove_file(repository.path().join("gone")).unwrap();
    repository.git(&["mv", "old-name", "new-name"]);
    repository.write("folder/untracked one", "x");
    repository.write("folder/untracked two", "x");
    repository.write("ignored/x", "x");
    repository.write(".git/info/exclude", "ignored/\n");
    let mut dirty = repository.dirty("");
    dirty.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        dirty,
        [
            ("README".to_owned(), DirtyKind::Modified),
            ("folder/untracked one".to_owned(), DirtyKind::Untracked),
            ("folder/untracked two".to_owned(), DirtyKind::Untracked),
            ("gone".to_owned(), DirtyKind::Deleted),
            ("new-name".to_owned(), DirtyKind::Added),
            ("old-name".to_owned(), DirtyKind::Deleted),
        ]
    );
}

#[test]
fn settings_that_hide_untracked_files_do_not() {
    let repository = Repository::new();
    repository.git(&["config", "status.showUntrackedFiles", "no"]);
    repository.write("new", "x");
    assert_eq!(repository.dirty(""), [("new".to_owned(), DirtyKind::Untracked)]);
}

#[test]
fn a_project_in_a_folder_sees_the_whole_repository_from_there() {
    let repository = Repository::new();
    repository.write("apps/web/inside", "x");
    repository.write("libs/outside", "x");
    assert_eq!(
        repository.dirty("apps/web"),
        [
            ("inside".to_owned(), DirtyKind::Untracked),
            ("../../libs/outside".to_owned(), DirtyKind::Untracked),
        ]
    );
}

#[test]
fn a_linked_work_tree_is_a_work_tree() {
    let repository = Repository::new();
    repository.git(&["worktree", "add", "-q", "linked"]);
    repository.write("linked/new", "x");
    assert_eq!(repository.dirty("linked"), [("new".to_owned(), DirtyKind::Untracked)]);
}

#[test]
fn a_repository_without_commits_is_all_dirty() {
    let repository = Repository { dir: tempfile::tempdir().unwrap() };
    test_repo::init(repository.path());
    repository.write("first", "x");
    assert_eq!(repository.dirty(""), [("first".to_owned(), DirtyKind::Untracked)]);
}

#[test]
fn changes_since_a_commit_are_paths_on_both_sides_of_a_move() {
    let repository = Repository::new();
    repository.write("moved/from", "the same contents\n");
    repository.write("kept", "x");
    let checkpoint = repository.commit_all();
    repository.git(&["mv", "moved/from", "to"]);
    repository.write("new ü", "x");
    repository.commit_all();
    let tree = WorkTree::open(repository.path()).unwrap();
    let mut paths = tree.start_changes_since(&checkpoint).unwrap().finish(soon()).unwrap();
    paths.sort();
    assert_eq!(paths, ["moved/from", "new ü", "to"]);
}

#[test]
fn a_missing_commit_is_an_error_with_gits_message() {
    let repository = Repository::new();
    let tree = WorkTree::open(repository.path()).unwrap();
    let unknown = CommitId::new(&"0".repeat(39)).unwrap();
    let error = tree.start_changes_since(&unknown).unwrap().finish(soon()).unwrap_err();
    assert!(error.to_string().starts_with("git diff-tree failed: fatal: "), "{error}");
}

#[test]
fn an_unreadable_index_is_an_error_with_gits_message() {
    let repository = Repository::new();
    repository.write(".git/index", "garbage");
    let tree = WorkTree::open(repository.path()).unwrap();
    let error = tree.start_status().unwrap().finish(soon()).unwrap_err();
    assert!(error.to_string().contains("index file smaller than expected"), "{error}");
}

#[test]
fn a_folder_without_a_repository_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(WorkTree::open(dir.path()).unwrap_err(), NotARepository);
    assert_eq!(WorkTree::open(&dir.path().join("none")).unwrap_err(), NotARepository);
}

/// A repository in which git runs a program that hangs and writes its pid.
#[cfg(target_os = "linux")]
fn hanging_repository() -> Repository {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::new();
    let hook = repository.path().join(".git/hang");
    let pid = repository.path().join(".git/pid");
    let script = format!(
        "#!/bin/sh\necho $PPID >'{0}.new' && mv '{0}.new' '{0}'\nexec sleep 5\n",
        pid.display()
    );
    repository.write(".git/hang", &script);
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.filter(hook.to_str().unwrap());
    repository
}

#[cfg(target_os = "linux")]
fn pid_of_git(repository: &Repository) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Ok(pid) = std::fs::read_to_string(repository.path().join(".git/pid")) {
            return pid.trim().to_owned();
        }
        assert!(Instant::now() < deadline, "git did not ask");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hanging_git_is_ended() {
    let repository = hanging_repository();
    let status = WorkTree::open(repository.path()).unwrap().start_status().unwrap();
    let pid = pid_of_git(&repository);
    let process = Path::new("/proc").join(pid);
    assert!(process.exists());
    let answer = status.finish(Instant::now());
    assert!(matches!(answer, Err(vcs::VcsError::NoAnswer { .. })), "{answer:?}");
    assert!(!process.exists(), "git is gone, and not a zombie");
}

#[cfg(target_os = "linux")]
#[test]
fn a_dropped_query_ends_its_git() {
    let repository = hanging_repository();
    let status = WorkTree::open(repository.path()).unwrap().start_status().unwrap();
    let process = Path::new("/proc").join(pid_of_git(&repository));
    drop(status);
    assert!(!process.exists(), "git is gone, and not a zombie");
}

/// A git with much error output must not block.
#[cfg(unix)]
#[test]
fn endless_errors_do_not_hide_the_output() {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::new();
    let hook = repository.path().join(".git/noisy");
    repository.write(".git/noisy", "#!/bin/sh\nyes complaint | head -c 300000 >&2\n");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.filter(hook.to_str().unwrap());
    assert_eq!(repository.dirty(""), [("filtered".to_owned(), DirtyKind::Modified)]);
}
