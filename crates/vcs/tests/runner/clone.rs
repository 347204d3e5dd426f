//! Clones that borrow objects, and the way back of their commits.

use std::path::{Path, PathBuf};

use vcs::{CommitId, VcsError, WorkTree};

use crate::repository::{Repository, soon};

struct Clone {
    dir: tempfile::TempDir,
    tree: WorkTree,
}

impl Clone {
    /// On branch `story` at `commit`.
    fn of(repository: &Repository, commit: &CommitId) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tree = repository.tree().clone_to(&dir.path().join("lane"), soon()).unwrap();
        tree.start_branch("story", commit, soon()).unwrap();
        Self { dir, tree }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("lane")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.path(), args)
    }

    fn commit_all(&self) -> CommitId {
        CommitId::new(&test_repo::commit_all(&self.path())).unwrap()
    }
}

fn fetch(repository: &Repository, clone: &Clone, commit: &CommitId) -> Result<(), VcsError> {
    repository.tree().fetch_branch(
        &clone.path(),
        "story",
        commit,
        "refs/ralph/run-1/US-001",
        soon(),
    )
}

fn kept(repository: &Repository) -> String {
    repository.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/ralph/"])
}

fn has_objects(git_dir: &Path) -> bool {
    let folders = std::fs::read_dir(git_dir.join("objects")).unwrap();
    let mut names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    names.any(|name| name.len() == 2)
}

#[test]
fn a_clone_has_the_files_but_neither_objects_nor_remotes_nor_hooks() {
    let repository = Repository::new();
    repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    repository.git(&["config", "remote.origin.url", "https://localhost/x"]);
    repository.git(&["config", "alias.x", "!true"]);
    let first = repository.head();
    repository.commit_file("later", "x");
    let clone = Clone::of(&repository, &first);
    assert_eq!(clone.read("README"), "hello");
    assert!(!clone.path().join("later").exists());
    assert_eq!(clone.git(&["symbolic-ref", "HEAD"]), "refs/heads/story");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    assert_eq!(clone.git(&["remote"]), "");
    assert!(!has_objects(&clone.path().join(".git")));
    assert!(!clone.path().join(".git/hooks").exists());
    let settings = clone.git(&["config", "--local", "--list"]);
    assert!(settings.contains("user.name=") && !settings.contains("alias."), "{settings}");
    // The original knows nothing of it.
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn files_are_written_as_in_the_original() {
    let repository = Repository::new();
    repository.commit_file("text", "a\nb\n");
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.git(&["config", "filter.own.smudge", "sed s/a/c/"]);
    repository.git(&["config", "filter.own.clean", "sed s/c/a/"]);
    repository.write(".git/info/attributes", "text filter=own\n");
    repository.write(".git/info/exclude", "*.log\n");
    let clone = Clone::of(&repository, &repository.head());
    assert_eq!(clone.read("text"), "c\r\nb\r\n");
    clone.write("x.log", "x");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn copied_settings_keep_names_and_values() {
    let repository = Repository::new();
    let set = |name: &str, value: &str| {
        repository.git(&["config", "--add", name, value]);
    };
    set("merge.own driver.name", r#"a "quoted" name; # with \ all"#);
    set(r#"filter.a"b\c.d.clean"#, "sed 's/\t/ /'\n");
    set("lfs.url", "one");
    set("lfs.url", "two");
    repository.git(&["config", "user.Name", "  Jane  "]);
    repository.write(
        ".git/config",
        &(std::fs::read_to_string(repository.path().join(".git/config")).unwrap()
            + "[lfs]\n\tskipSmudge\n"),
    );
    let clone = Clone::of(&repository, &repository.head());
    let of = |folder: &Path, name: &str| {
        test_repo::git(folder, &["config", "--local", "--get-all", name])
    };
    for name in ["merge.own driver.name", r#"filter.a"b\c.d.clean"#, "lfs.url", "user.name"] {
        assert_eq!(of(&clone.path(), name), of(repository.path(), name), "{name}");
    }
    assert_eq!(clone.git(&["config", "--type=bool", "lfs.skipSmudge"]), "true");
}

#[test]
fn a_new_branch_resets_files_and_leaves_ignored_ones() {
    let repository = Repository::new();
    repository.write(".gitignore", "target/\n");
    let first = repository.commit_all();
    let clone = Clone::of(&repository, &first);
    std::fs::create_dir_all(clone.path().join("target")).unwrap();
    std::fs::create_dir_all(clone.path().join("nested")).unwrap();
    test_repo::init(&clone.path().join("nested"));
    clone.write("target/cache", "kept");
    clone.write("README", "changed");
    clone.write("untracked", "x");
    let second = repository.commit_file("later", "x");
    clone.tree.start_branch("next", &second, soon()).unwrap();
    assert_eq!(clone.read("README"), "hello");
    assert_eq!(clone.read("later"), "x");
    assert_eq!(clone.read("target/cache"), "kept");
    assert!(!clone.path().join("untracked").exists() && !clone.path().join("nested").exists());
    clone.tree.start_branch("next", &first, soon()).unwrap();
    assert!(!clone.path().join("later").exists());
}

#[test]
fn commits_come_back_under_a_ref_of_their_own() {
    let repository = Repository::new();
    let clone = Clone::of(&repository, &repository.head());
    clone.write("README", "work");
    let made = clone.commit_all();
    assert_eq!(kept(&repository), "");
    fetch(&repository, &clone, &made).unwrap();
    assert_eq!(kept(&repository), format!("refs/ralph/run-1/US-001 {made}"));
    assert_eq!(repository.shown(made.as_str(), "README"), "work");
    // An amended commit replaces the first.
    clone.write("README", "better");
    clone.git(&["commit", "-q", "--amend", "-a", "-m", "again"]);
    let amended = CommitId::new(&clone.git(&["rev-parse", "HEAD"])).unwrap();
    fetch(&repository, &clone, &amended).unwrap();
    assert_eq!(kept(&repository), format!("refs/ralph/run-1/US-001 {amended}"));
    assert!(repository.status().is_empty());
}

#[test]
fn a_commit_that_was_not_judged_is_refused() {
    let repository = Repository::new();
    let clone = Clone::of(&repository, &repository.head());
    clone.write("README", "work");
    let judged = clone.commit_all();
    clone.write("README", "later");
    clone.commit_all();
    let fetched = fetch(&repository, &clone, &judged);
    assert!(matches!(fetched, Err(VcsError::OtherCommit { .. })), "{fetched:?}");
    assert_eq!(kept(&repository), "");
}

#[test]
fn a_forged_object_is_refused() {
    let repository = Repository::new();
    let clone = Clone::of(&repository, &repository.head());
    clone.write("README", "honest");
    let made = clone.commit_all();
    clone.write("other", "forged");
    let objects = clone.path().join(".git/objects");
    let object = |id: &str| objects.join(&id[..2]).join(&id[2..]);
    let forged = object(&clone.git(&["hash-object", "-w", "other"]));
    let honest = object(&clone.git(&["rev-parse", "HEAD:README"]));
    std::fs::remove_file(&honest).unwrap();
    std::fs::copy(forged, honest).unwrap();
    let Err(VcsError::Failed { message, .. }) = fetch(&repository, &clone, &made) else {
        unreachable!()
    };
    assert!(message.contains("did not receive expected object"), "{message}");
    assert_eq!(kept(&repository), "");
}

#[test]
fn repositories_of_other_forms_can_be_cloned() {
    let repository = Repository::new();
    let first = repository.head();
    let second = repository.commit_file("b", "x");
    // Shallow.
    repository.write(".git/shallow", &format!("{second}\n"));
    let clone = Clone::of(&repository, &second);
    assert_eq!(clone.git(&["rev-list", "HEAD"]), second.to_string());
    repository.remove(".git/shallow");
    // Linked.
    let linked = tempfile::tempdir().unwrap();
    let folder = linked.path().join("linked");
    repository.git(&["worktree", "add", "-q", "--detach", folder.to_str().unwrap()]);
    let tree = WorkTree::open(&folder).unwrap();
    let from_linked = tree.clone_to(&linked.path().join("lane"), soon()).unwrap();
    from_linked.start_branch("story", &first, soon()).unwrap();
    assert!(linked.path().join("lane/README").exists());
    // With other hashes.
    let other = tempfile::tempdir().unwrap();
    test_repo::git(other.path(), &["init", "-q", "--object-format=sha256"]);
    std::fs::write(other.path().join("a"), "x").unwrap();
    let commit = CommitId::new(&test_repo::commit_all(other.path())).unwrap();
    let tree = WorkTree::open(other.path()).unwrap();
    let clone = tree.clone_to(&linked.path().join("sha256"), soon()).unwrap();
    clone.start_branch("story", &commit, soon()).unwrap();
    assert!(linked.path().join("sha256/a").exists());
}

#[test]
fn ignored_files_can_be_listed_by_patterns() {
    let repository = Repository::new();
    repository.write(".gitignore", ".env\nnode_modules/\n*.log\n");
    repository.write(".worktreeinclude", ".env\nnode_modules/\nnotes.txt\nREADME\n");
    repository.commit_all();
    for name in [".env", "sub/.env", "node_modules/a/index.js", "x.log", "notes.txt"] {
        repository.write(name, "x");
    }
    let listed =
        |tree: WorkTree, list: &str| tree.ignored_and_listed(&repository.at(list), soon()).unwrap();
    let found = listed(repository.tree(), ".worktreeinclude");
    assert_eq!(found, [".env", "node_modules/a/index.js", "sub/.env"]);
    repository.write("none", "");
    assert!(listed(repository.tree(), "none").is_empty());
    assert_eq!(repository.tree_in("sub").project_folder(), Path::new("sub"));
}
