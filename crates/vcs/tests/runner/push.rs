//! Pushes to the recorded address of a remote.

use std::fs;
use std::path::{Path, PathBuf};

use vcs::{CommitId, PushError, PushTarget};

use crate::repository::{Repository, soon};

/// A repository with a bare one as its remote `origin`.
struct Project {
    repository: Repository,
    dir: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = Self { repository: Repository::new(), dir };
        let remote = project.bare("remote.git");
        let url = url(&remote);
        project.git(&["remote", "add", "origin", &url]);
        project
    }

    fn bare(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        let shown = path.to_str().unwrap().to_owned();
        test_repo::git(self.dir.path(), &["init", "--quiet", "--bare", &shown]);
        path
    }

    fn git(&self, args: &[&str]) -> String {
        self.repository.git(args)
    }

    fn target(&self) -> PushTarget {
        self.repository.tree().push_target("origin", soon()).unwrap().unwrap()
    }

    fn commit(&self, name: &str) -> CommitId {
        fs::write(self.repository.path().join(name), name).unwrap();
        CommitId::new(&test_repo::commit_all(self.repository.path())).unwrap()
    }

    fn push(&self, target: &PushTarget, commit: &CommitId) -> Result<(), PushError> {
        self.repository.tree().push_branch(target, commit, "ralph/shop", soon())
    }

    /// The commit of the branch in a bare repository.
    fn tip(&self, name: &str) -> String {
        let format = "--format=%(objectname)";
        test_repo::git(&self.dir.path().join(name), &["for-each-ref", format]).trim().to_owned()
    }
}

fn url(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap())
}

#[test]
fn a_branch_reaches_the_remote_and_a_second_push_changes_nothing() {
    let project = Project::new();
    let (target, first) = (project.target(), project.commit("a"));
    project.push(&target, &first).unwrap();
    assert_eq!(project.tip("remote.git"), first.as_str());
    project.push(&target, &first).unwrap();
    let second = project.commit("b");
    project.push(&target, &second).unwrap();
    assert_eq!(project.tip("remote.git"), second.as_str());
    assert!(project.repository.tree().push_target("upstream", soon()).unwrap().is_none());
}

#[test]
fn settings_that_change_later_do_not_redirect_the_push() {
    let project = Project::new();
    let target = project.target();
    let other = url(&project.bare("other.git"));
    let (rewritten, wanted) = (format!("url.{other}.insteadOf"), project.target());
    project.git(&["config", &rewritten, target.url()]);
    project.git(&["config", "remote.origin.pushurl", &other]);
    project.git(&["config", "remote.target.url", &other]);
    let hook = project.repository.path().join(".git/hooks/pre-push");
    let marker = project.dir.path().join("hook-ran");
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", marker.display())).unwrap();
    make_executable(&hook);
    let commit = project.commit("a");
    project.push(&wanted, &commit).unwrap();
    assert_eq!(project.tip("remote.git"), commit.as_str());
    assert_eq!(project.tip("other.git"), "");
    assert!(!marker.exists());
    assert_eq!(project.target().url(), other, "the settings do redirect other pushes");
}

#[test]
fn commits_on_the_remote_are_never_overwritten() {
    let project = Project::new();
    let target = project.target();
    let theirs = project.commit("theirs");
    project.push(&target, &theirs).unwrap();
    project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let ours = project.commit("ours");
    let error = project.push(&target, &ours).unwrap_err();
    assert!(matches!(error, PushError::OtherCommits), "{error:?}");
    assert_eq!(project.tip("remote.git"), theirs.as_str());
}

#[test]
#[cfg(unix)]
fn the_remote_says_why_it_refuses() {
    let project = Project::new();
    let (target, commit) = (project.target(), project.commit("a"));
    let hook = project.dir.path().join("remote.git/hooks/pre-receive");
    for (text, expected) in [
        ("Not allowed to push to protected branch main", "Protected"),
        ("User permission denied for writing.", "Denied"),
        ("no commits on Fridays", "Refused"),
    ] {
        fs::write(&hook, format!("#!/bin/sh\necho 'Forge: {text}' >&2\nexit 1\n")).unwrap();
        make_executable(&hook);
        let error = project.push(&target, &commit).unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{error:?}");
        assert!(error.to_string().ends_with(&format!("Forge: {text}")), "{error}");
    }
}

#[test]
fn a_missing_remote_repository_is_an_error() {
    let project = Project::new();
    let (target, commit) = (project.target(), project.commit("a"));
    fs::remove_dir_all(project.dir.path().join("remote.git")).unwrap();
    let error = project.push(&target, &commit).unwrap_err();
    assert!(matches!(error, PushError::Denied(_)), "{error:?}");
}

/// A program that signs in counts only if the settings named it when the target was recorded.
#[test]
#[cfg(unix)]
fn programs_that_sign_in_are_those_of_before() {
    let project = Project::new();
    let program = |name: &str| {
        let marker = project.dir.path().join(name);
        (format!("touch '{}'; false", marker.display()), marker)
    };
    let (before, ran_before) = program("before");
    let (later, ran_later) = program("later");
    project.git(&["config", "remote.origin.url", "ssh://git@127.0.0.1:1/o/r"]);
    project.git(&["config", "core.sshCommand", &before]);
    let target = project.target();
    project.git(&["config", "core.sshCommand", &later]);
    let commit = project.commit("a");
    project.push(&target, &commit).unwrap_err();
    assert!(ran_before.exists() && !ran_later.exists());
}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}
