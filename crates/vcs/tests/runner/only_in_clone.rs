//! What would be lost with the folder of a clone.

use std::path::PathBuf;

use vcs::{OnlyInClone, VcsError, WorkTree};

use crate::repository::{Repository, soon};

struct Clone {
    repository: Repository,
    dir: tempfile::TempDir,
}

impl Clone {
    fn new() -> Self {
        let repository = Repository::new();
        repository.write("a.txt", "1");
        repository.write(".gitignore", "*.log\n");
        let commit = repository.commit_all();
        let dir = tempfile::tempdir().unwrap();
        let tree = repository.tree().clone_to(&dir.path().join("lane"), soon()).unwrap();
        tree.start_branch("story", &commit, soon()).unwrap();
        Self { repository, dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("lane")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.path(), args)
    }

    fn found(&self) -> Result<OnlyInClone, VcsError> {
        self.repository.tree().only_in_clone(&self.path(), soon())
    }

    fn refs(&self) -> Vec<String> {
        self.found().unwrap().refs
    }

    fn files(&self) -> Vec<String> {
        let found = self.found().unwrap();
        assert_eq!(found.refs, [""; 0]);
        found.files
    }
}

#[test]
fn commits_count_until_a_ref_of_the_original_contains_them() {
    let clone = Clone::new();
    assert!(clone.found().unwrap().is_empty());
    clone.write("a.txt", "2");
    let commit = test_repo::commit_all(&clone.path());
    assert_eq!(clone.refs(), ["HEAD", "refs/heads/story"]);
    let tree = clone.repository.tree();
    let commit = vcs::CommitId::new(&commit).unwrap();
    tree.fetch_branch(&clone.path(), "story", &commit, "refs/ralph/run/US-1", soon()).unwrap();
    assert!(clone.found().unwrap().is_empty());
    // The object is still there, but git may remove it at any time.
    tree.remove_ref("refs/ralph/run/US-1", soon()).unwrap();
    assert_eq!(clone.refs(), ["HEAD", "refs/heads/story"]);
}

#[test]
fn every_kind_of_ref_counts() {
    let clone = Clone::new();
    clone.write("a.txt", "2");
    clone.git(&["stash"]);
    assert!(clone.refs()[0].starts_with("refs/stash "), "{:?}", clone.refs());
    clone.git(&["stash", "drop"]);
    assert!(clone.found().unwrap().is_empty());
    clone.git(&["checkout", "-q", "--detach"]);
    clone.write("a.txt", "3");
    test_repo::commit_all(&clone.path());
    assert_eq!(clone.refs(), ["HEAD"]);
    clone.git(&["update-ref", "refs/odd/place", "HEAD"]);
    clone.git(&["checkout", "-q", "story"]);
    clone.git(&["pack-refs", "--all"]);
    assert_eq!(clone.refs(), ["refs/odd/place"]);
}

#[test]
fn changed_and_new_files_count_and_ignored_and_missing_ones_do_not() {
    let clone = Clone::new();
    clone.write("x.log", "ignored");
    assert_eq!(clone.files(), [""; 0]);
    std::fs::remove_file(clone.path().join("a.txt")).unwrap();
    assert_eq!(clone.files(), [""; 0]);
    clone.write("a.txt", "2");
    clone.write("new.txt", "2");
    clone.write("folder/deep/new.txt", "2");
    assert_eq!(clone.files(), ["a.txt", "folder/", "new.txt"]);
    clone.git(&["add", "a.txt"]);
    assert_eq!(clone.files(), ["a.txt", "folder/", "new.txt"]);
}

/// A flag of the clone's index hides no change.
#[test]
fn the_index_of_the_clone_is_not_asked() {
    let clone = Clone::new();
    clone.git(&["update-index", "--assume-unchanged", "a.txt"]);
    clone.write("a.txt", "2");
    assert_eq!(clone.files(), ["a.txt"]);
}

#[cfg(unix)]
#[test]
fn no_program_of_the_clones_settings_runs() {
    let clone = Clone::new();
    let ran = clone.dir.path().join("ran");
    let program = format!("touch {}; cat", ran.display());
    for name in
        ["filter.x.clean", "filter.x.process", "core.fsmonitor", "core.alternateRefsCommand"]
    {
        clone.git(&["config", name, &program]);
    }
    clone.git(&["config", "core.excludesFile", "/dev/null"]);
    clone.write(".git/info/attributes", "* filter=x\n");
    clone.write("a.txt", "2");
    assert_eq!(clone.files(), ["a.txt"]);
    assert!(!ran.exists());
}

#[test]
fn a_folder_that_is_no_clone_is_an_error() {
    let clone = Clone::new();
    let refused = |path: &std::path::Path| {
        let found = clone.repository.tree().only_in_clone(path, soon());
        assert!(matches!(found, Err(VcsError::NotAClone { .. })), "{found:?}");
    };
    refused(&clone.dir.path().join("none"));
    refused(clone.dir.path());
    clone.write("sub/file", "x");
    refused(&clone.path().join("sub"));
    // Its refs would be those of the original, which has all of its own commits.
    let git = clone.path().join(".git");
    std::fs::rename(&git, clone.dir.path().join("moved")).unwrap();
    let original = WorkTree::open(clone.repository.path()).unwrap();
    std::fs::write(&git, format!("gitdir: {}", original.git_dirs()[0].display())).unwrap();
    refused(&clone.path());
    #[cfg(unix)]
    {
        std::fs::remove_file(&git).unwrap();
        std::os::unix::fs::symlink(original.git_dirs()[0], &git).unwrap();
        refused(&clone.path());
    }
}
