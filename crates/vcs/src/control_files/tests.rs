//! The control file guard against changes of the repository.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;

struct Repository {
    dir: tempfile::TempDir,
    tree: WorkTree,
}

impl Repository {
    fn guarded(allowed: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        fs::write(dir.path().join("file"), "x\n").unwrap();
        test_repo::commit_all(dir.path());
        fs::write(dir.path().join(".git/hooks/pre-push"), "mine").unwrap();
        let mut tree = WorkTree::open(dir.path()).unwrap();
        let allowed = AllowedChanges::new(allowed.iter().map(|name| (*name).to_owned()));
        tree.guard_control_files(allowed).unwrap();
        Self { dir, tree }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(self.dir.path(), args)
    }

    /// `name: outcome`, in order.
    fn changes(&self) -> Vec<String> {
        let changes = self.tree.restore_control_files().unwrap();
        changes.iter().map(|change| format!("{}: {:?}", change.name, change.outcome)).collect()
    }
}

#[test]
fn unguarded_changes_are_ignored() {
    let repository = Repository::guarded(&[]);
    assert_eq!(repository.changes(), [""; 0]);
    repository.git(&["config", "user.name", "new"]);
    repository.git(&["remote", "add", "origin", "/elsewhere"]);
    repository.git(&["branch", "other"]);
    fs::write(repository.path("file"), "y\n").unwrap();
    test_repo::commit_all(repository.dir.path());
    assert_eq!(repository.changes(), [""; 0]);
    assert_eq!(repository.git(&["config", "user.name"]), "t", "the command line's");
    assert_eq!(repository.git(&["config", "--local", "user.name"]), "new");
}

#[test]
fn keys_are_restored_and_others_stay() {
    let repository = Repository::guarded(&[]);
    repository.git(&["config", "core.fsmonitor", "evil"]);
    repository.git(&["config", "user.email", "new"]);
    repository.git(&["config", "core.fileMode", "false"]);
    assert_eq!(repository.changes(), ["core.filemode: Restored", "core.fsmonitor: Restored"]);
    assert_eq!(repository.git(&["config", "--local", "user.email"]), "new");
    assert_eq!(repository.git(&["config", "core.fileMode"]), "true");
    assert_eq!(repository.changes(), [""; 0], "once");
    repository.git(&["config", "core.fsmonitor", "evil"]);
    assert_eq!(repository.changes(), ["core.fsmonitor: Restored"], "and again");
}

#[test]
fn a_git_call_restores_control_files_first() {
    let repository = Repository::guarded(&[]);
    repository.git(&["config", "core.excludesFile", "/nowhere"]);
    fs::write(repository.path(".git/info/exclude"), "hidden\n").unwrap();
    fs::write(repository.path("hidden"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let dirty = repository.tree.state(deadline).unwrap().dirty;
    assert_eq!(dirty.len(), 1, "{dirty:?}");
    let changes = repository.tree.restore_control_files().unwrap();
    let found: Vec<_> = changes.iter().map(|change| change.found.as_deref()).collect();
    assert_eq!(found, [Some(&b"hidden\n"[..]), Some(b"/nowhere")]);
}

#[test]
fn whole_files_are_restored_from_any_state() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil); 6] = [
        (".git/hooks/pre-push", |path| fs::write(path, "evil").unwrap()),
        (".git/hooks/pre-push", |path| fs::remove_file(path).unwrap()),
        (".git/hooks/post-commit", |path| fs::write(path, "evil").unwrap()),
        (".git/info/exclude", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        (".git/commondir", |path| fs::write(path, "../elsewhere").unwrap()),
        (".git/objects/info/alternates", |path| fs::write(path, "/elsewhere").unwrap()),
    ];
    for (name, spoil) in cases {
        let repository = Repository::guarded(&[]);
        let before = Image::of(&repository.path(name));
        spoil(&repository.path(name));
        assert_eq!(repository.changes(), [format!("{name}: Restored")]);
        assert_eq!(Image::of(&repository.path(name)), before, "{name}");
    }
}

#[test]
fn unreadable_config_files_are_restored_as_a_whole() {
    let repository = Repository::guarded(&[]);
    let before = fs::read(repository.path(".git/config")).unwrap();
    for spoilt in ["[core", ""] {
        fs::write(repository.path(".git/config"), spoilt).unwrap();
        assert!(!repository.changes().is_empty());
        let settings = |text: &[u8]| Settings::read(text).unwrap().unwrap();
        let now = fs::read(repository.path(".git/config")).unwrap();
        assert_eq!(settings(&before).changed(&settings(&now)), []);
    }
}

#[test]
fn allowed_changes_stay_and_are_reported_once() {
    let repository = Repository::guarded(&["core.HooksPath", ".git/hooks/*"]);
    repository.git(&["config", "core.hooksPath", ".husky/_"]);
    fs::write(repository.path(".git/hooks/post-commit"), "mine").unwrap();
    let expected = [".git/hooks/post-commit: Allowed", "core.hookspath: Allowed"];
    assert_eq!(repository.changes(), expected);
    assert_eq!(repository.changes(), [""; 0]);
    assert_eq!(repository.git(&["config", "core.hooksPath"]), ".husky/_");
    repository.git(&["config", "core.fsmonitor", "evil"]);
    assert_eq!(repository.changes(), ["core.fsmonitor: Restored"]);
    assert_eq!(repository.git(&["config", "core.hooksPath"]), ".husky/_");
}

#[test]
fn patterns_name_what_is_allowed() {
    let allowed = AllowedChanges::new(["filter.lfs.*", "core.hooksPath"].map(str::to_owned));
    for (name, expected) in [
        ("filter.lfs.clean", true),
        ("FILTER.lfs.clean", true),
        ("filter.other.clean", false),
        ("core.hookspath", true),
        ("core.hookspathx", false),
    ] {
        assert_eq!(allowed.allows(name), expected, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_new_link() {
    use std::os::unix::fs::symlink;
    let repository = Repository::guarded(&[]);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("exclude"), "theirs").unwrap();
    fs::remove_dir_all(repository.path(".git/info")).unwrap();
    symlink(elsewhere.path(), repository.path(".git/info")).unwrap();
    let changes = repository.changes();
    assert_eq!(changes, [".git/info: Restored", ".git/info/exclude: Restored"]);
    assert_eq!(fs::read(elsewhere.path().join("exclude")).unwrap(), b"theirs");
    assert!(!repository.path(".git/info").is_symlink());

    fs::rename(repository.path(".git"), elsewhere.path().join("git")).unwrap();
    symlink(elsewhere.path().join("git"), repository.path(".git")).unwrap();
    let error = repository.tree.restore_control_files().unwrap_err();
    assert!(matches!(error, VcsError::RepositoryReplaced { .. }), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_place_of_the_index_does_not_block() {
    let repository = Repository::guarded(&[]);
    for name in [".git/index", ".git/info/exclude", ".git/config"] {
        fs::remove_file(repository.path(name)).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, repository.path(name), kind, mode, 0).unwrap();
        assert_eq!(repository.changes(), [format!("{name}: Restored")]);
        assert!(repository.tree.state(Instant::now() + Duration::from_secs(30)).is_ok());
    }
}

#[test]
fn a_record_detects_changes() {
    let repository = Repository::guarded(&[]);
    repository.git(&["config", "remote.origin.url", "/a"]);
    let record = WorkTree::open(repository.dir.path()).unwrap().control_record().unwrap();
    let text = serde_json::to_string(&record).unwrap();
    assert!(!text.contains("/a"), "no value is in it: {text}");
    let record: ControlRecord = serde_json::from_str(&text).unwrap();
    let changed = || -> Vec<String> {
        let tree = WorkTree::open(repository.dir.path()).unwrap();
        let changes = tree.control_changes_since(&record).unwrap();
        changes.into_iter().map(|change| change.name).collect()
    };
    assert_eq!(changed(), [""; 0]);
    repository.git(&["config", "user.name", "new"]);
    repository.git(&["remote", "add", "new", "/b"]);
    repository.git(&["config", "submodule.lib.active", "true"]);
    assert_eq!(changed(), [""; 0]);
    repository.git(&["config", "remote.origin.url", "/c"]);
    repository.git(&["config", "core.fsmonitor", "evil"]);
    fs::write(repository.path(".git/commondir"), ".").unwrap();
    fs::write(repository.path(".git/hooks/post-commit"), "evil").unwrap();
    let expected =
        [".git/commondir", ".git/hooks/post-commit", "core.fsmonitor", "remote.origin.url"];
    assert_eq!(changed(), expected);
}

#[test]
fn unrecorded_files_are_removed_and_changed_ones_are_errors() {
    let repository = Repository::guarded(&[]);
    let record = repository.tree.control_record().unwrap();
    repository.git(&["config", "core.fsmonitor", "evil"]);
    fs::write(repository.path(".git/hooks/post-commit"), "evil").unwrap();
    let tree = WorkTree::open(repository.dir.path()).unwrap();
    let removed = tree.remove_unrecorded_control_files(&record).unwrap();
    assert_eq!(removed.len(), 2, "{removed:?}");
    assert_eq!(tree.remove_unrecorded_control_files(&record).unwrap(), []);
    assert!(!repository.path(".git/hooks/post-commit").exists());
    fs::write(repository.path(".git/hooks/pre-push"), "evil").unwrap();
    let lost = tree.remove_unrecorded_control_files(&record).unwrap_err();
    assert!(matches!(lost, VcsError::ControlFileChanged { .. }), "{lost}");
}

#[test]
fn a_linked_work_tree_is_guarded_with_its_own_files_and_the_shared_ones() {
    let dir = tempfile::tempdir().unwrap();
    let (main, linked) = (dir.path().join("main"), dir.path().join("linked"));
    fs::create_dir(&main).unwrap();
    test_repo::init(&main);
    test_repo::commit_all(&main);
    test_repo::git(&main, &["worktree", "add", "-q", "../linked"]);
    let mut tree = WorkTree::open(&linked).unwrap();
    tree.guard_control_files(AllowedChanges::default()).unwrap();
    fs::write(main.join(".git/worktrees/linked/commondir"), "/elsewhere").unwrap();
    fs::write(linked.join(".git"), "gitdir: /elsewhere\n").unwrap();
    test_repo::git(&main, &["config", "core.fsmonitor", "evil"]);
    let changes = tree.restore_control_files().unwrap();
    let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
    assert_eq!(names, [".git", ".git/commondir", "core.fsmonitor"]);
    assert!(tree.state(Instant::now() + Duration::from_secs(30)).is_ok());
}

/// Claude Code's sandbox leaves both behind.
#[test]
fn empty_files_that_set_nothing_are_no_change() {
    let repository = Repository::guarded(&[]);
    let alternates = repository.path(".git/objects/info/alternates");
    let record = repository.tree.control_record().unwrap();
    for name in [".git/objects/info/alternates", ".git/config.worktree"] {
        fs::write(repository.path(name), "").unwrap();
    }
    assert_eq!(repository.changes(), [""; 0]);
    assert_eq!(repository.tree.control_changes_since(&record).unwrap(), []);
    fs::write(&alternates, "/elsewhere\n").unwrap();
    assert_eq!(repository.changes(), [".git/objects/info/alternates: Restored"]);
    assert!(!alternates.exists());
}
