//! A test repository that is independent of the user's settings.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vcs::{CommitId, TreeState, WorkTree};

/// Names that shells, patterns or line readers would misread.
#[cfg(unix)]
pub(crate) const ODD_NAMES: [&str; 12] = [
    "a b",
    "line\nbreak",
    "quote\"d 'name'",
    "-dash",
    "ünïcode",
    ":(glob)x*",
    "*",
    "tab\there",
    "back\\slash",
    // Invalid UTF-8, and a name that looks like its escape. Not supported on every system.
    if cfg!(target_os = "linux") { "caf\\351" } else { "cafe" },
    if cfg!(target_os = "linux") { "caf\\347" } else { "cafg" },
    "caf\\134351",
];
#[cfg(not(unix))]
pub(crate) const ODD_NAMES: [&str; 3] = ["a b", "-dash", "ünïcode"];

pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

pub(crate) struct Repository {
    dir: tempfile::TempDir,
}

impl Repository {
    /// With one commit of `README`.
    pub(crate) fn new() -> Self {
        let repository = Self::unborn();
        repository.write("README", "hello");
        repository.commit_all();
        repository
    }

    pub(crate) fn unborn() -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        test_repo::init(repository.path());
        for setting in [
            "user.name=Somebody",
            "user.email=somebody@localhost",
            "commit.gpgsign=false",
            "core.autocrlf=false",
            "core.fsmonitor=false",
            "core.hooksPath=.git/hooks",
            "core.excludesFile=",
        ] {
            let (name, value) = setting.split_once('=').unwrap();
            repository.git(&["config", name, value]);
        }
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// `name` as `vcs` returns it.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        vcs::on_disk(self.path(), name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.at(name)).unwrap();
    }

    /// A program that git can run.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(self.at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        self.at(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        test_repo::git(self.path(), args)
    }

    pub(crate) fn commit_all(&self) -> CommitId {
        CommitId::new(&test_repo::commit_all(self.path())).unwrap()
    }

    pub(crate) fn head(&self) -> CommitId {
        CommitId::new(&self.git(&["rev-parse", "HEAD"])).unwrap()
    }

    pub(crate) fn tree(&self) -> WorkTree {
        self.tree_in("")
    }

    pub(crate) fn tree_in(&self, project: &str) -> WorkTree {
        WorkTree::open(&self.at(project)).unwrap()
    }

    pub(crate) fn state(&self) -> TreeState {
        self.tree().state(soon()).unwrap()
    }

    /// The two letters and the path of every entry, in git's format.
    pub(crate) fn status(&self) -> Vec<String> {
        // The branch line comes first, so that trimming does not remove a leading blank.
        let args = ["status", "--porcelain", "-z", "--branch", "-uall", "--no-renames"];
        let output = self.git(&args);
        let entries = output.split('\0').skip(1).filter(|entry| !entry.is_empty());
        entries.map(str::to_owned).collect()
    }

    /// Commits `text` as file `name`, next to other dirty files.
    pub(crate) fn commit_file(&self, name: &str, text: &str) -> CommitId {
        self.write(name, text);
        self.git(&["add", "--", name]);
        self.git(&["commit", "-q", "-m", name, "--", name]);
        self.head()
    }

    /// Adds a submodule with one commit; its folder must outlive the test.
    pub(crate) fn add_submodule(&self, name: &str) -> tempfile::TempDir {
        let source = tempfile::tempdir().unwrap();
        test_repo::init(source.path());
        std::fs::write(source.path().join("inner"), "one").unwrap();
        test_repo::commit_all(source.path());
        // git refuses local repositories as submodules by default.
        let allowed = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        self.git(&[&allowed[..], &[source.path().to_str().unwrap(), name]].concat());
        source
    }

    /// Every name in a commit or tree, with the hash of its contents.
    pub(crate) fn listed(&self, treeish: &str) -> String {
        self.git(&["ls-tree", "-r", "--full-tree", treeish])
    }

    pub(crate) fn names(&self, treeish: &str) -> Vec<String> {
        let names = self.git(&["ls-tree", "-r", "-z", "--full-tree", "--name-only", treeish]);
        names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// The content of a file in a commit or tree.
    pub(crate) fn shown(&self, treeish: &str, name: &str) -> String {
        self.git(&["cat-file", "blob", &format!("{treeish}:{name}")])
    }

    /// On `main`, with a branch `other` that changes `README` differently.
    pub(crate) fn with_disagreement() -> Self {
        let repository = Self::new();
        repository.git(&["checkout", "-q", "-b", "other"]);
        repository.write("README", "theirs");
        repository.commit_all();
        repository.git(&["checkout", "-q", "main"]);
        repository.write("README", "ours");
        repository.commit_all();
        repository
    }

    /// Starts an operation that stops at a conflict, which is a failure for git.
    #[track_caller]
    pub(crate) fn run_into_conflict(&self, command: &str) {
        // The alias turns the failure into success, so that the test continues.
        let alias = format!("alias.x=!git {command} other >&2; test $? = 1");
        self.git(&["-c", &alias, "x"]);
    }

    /// Every path that the latest commit changed, with git's letter.
    pub(crate) fn last_commit(&self) -> Vec<String> {
        let args = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames"];
        let output = self.git(&[&args[..], &["--name-status", "HEAD"]].concat());
        let words: Vec<&str> = output.split('\0').filter(|word| !word.is_empty()).collect();
        words.chunks(2).map(|pair| format!("{} {}", pair[0], pair[1])).collect()
    }
}
