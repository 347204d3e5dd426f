//! In-process results equal those of git, or git is asked.

use std::time::{Duration, Instant};

use super::*;
use crate::{CommitId, UnwatchedFiles, VcsError};

struct Repository {
    dir: tempfile::TempDir,
    tree: WorkTree,
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

impl Repository {
    /// Three commits, the last one a merge: `folder/a` changed, `b` renamed, `link` and `run` new.
    fn new(init: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        test_repo::git(dir.path(), &[&["init", "-q", "-b", "main"], init].concat());
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("folder/a"), "one").unwrap();
        fs::write(at("folder/same"), "same").unwrap();
        fs::write(at("b"), "some text\n").unwrap();
        test_repo::commit_all(dir.path());
        test_repo::git(dir.path(), &["checkout", "-q", "-b", "side"]);
        fs::write(at("folder/a"), "two").unwrap();
        test_repo::commit_all(dir.path());
        test_repo::git(dir.path(), &["checkout", "-q", "main"]);
        fs::rename(at("b"), at("c")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("c", at("link")).unwrap();
        test_repo::commit_all(dir.path());
        test_repo::git(dir.path(), &["merge", "-q", "-m", "merge", "side"]);
        let tree = WorkTree::open(dir.path()).unwrap();
        Self { dir, tree }
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(self.dir.path(), args)
    }

    fn name(&self, revision: &str) -> String {
        self.git(&["rev-parse", revision])
    }

    fn id(&self, revision: &str) -> CommitId {
        CommitId::new(&self.name(revision)).unwrap()
    }

    fn objects(&self) -> PathBuf {
        self.tree.common_dir.join("objects")
    }

    fn in_process<T>(&self, read: impl FnOnce(&ObjectStore) -> Option<T>) -> Option<T> {
        self.tree.in_process("a test", soon(), read)
    }

    /// The result comes from here and equals that of git.
    fn agrees(&self, what: &str) {
        let commit = self.in_process(|store| store.commit(&self.name("HEAD")));
        let commit = commit.unwrap_or_else(|| panic!("{what}: HEAD is left to git"));
        // As the runner calls git: without replacement objects.
        let plain = |revision: &str| {
            let flags = ["--no-replace-objects", "rev-parse", revision];
            self.git(&flags)
        };
        assert_eq!(commit.tree, plain("HEAD^{tree}"), "{what}");
        assert_eq!(commit.parents, [plain("HEAD^1"), plain("HEAD^2")], "{what}");
        for (one, other, expected) in
            [("HEAD~1", "HEAD", true), ("HEAD", "HEAD~1", false), ("side", "HEAD^1", false)]
        {
            let [one, other] = [plain(one), plain(other)];
            let found = self.in_process(|store| store.is_ancestor(&one, &other));
            assert_eq!(found, Some(expected), "{what}");
        }
        let [from, to] = [plain("HEAD~2"), plain("HEAD")];
        let args = ["diff-tree", "-r", "--no-renames", "--name-only", &from, &to];
        let from_git = self.git(&[&["--no-replace-objects"], &args[..]].concat());
        let found = self.in_process(|store| store.differences(&from, &to)).unwrap();
        let found: Vec<String> =
            found.keys().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        assert_eq!(found, from_git.lines().collect::<Vec<_>>(), "{what}");
        let args = ["rev-list", "--objects", "--no-object-names", &to, "--not", &from];
        let from_git = self.git(&[&["--no-replace-objects"], &args[..]].concat());
        let mut from_git: Vec<&str> = from_git.lines().collect();
        let new = self.in_process(|store| store.new_objects(&from, &to)).unwrap();
        let mut found: Vec<&str> = new.contents.keys().map(String::as_str).collect();
        // A renamed file is visited again, because its path is new.
        let renamed = plain("HEAD:c");
        found.retain(|name| *name != renamed);
        found.sort_unstable();
        from_git.sort_unstable();
        assert_eq!(found, from_git, "{what}");
        let args = ["ls-tree", "-r", "--name-only", "HEAD"];
        let from_git = self.git(&[&["--no-replace-objects"], &args[..]].concat());
        let files = self.in_process(|store| store.files(&to)).unwrap();
        assert_eq!(files.len(), from_git.lines().count(), "{what}");
    }
}

#[test]
fn loose_and_packed_objects_are_read_as_git_reads_them() {
    let repository = Repository::new(&[]);
    repository.agrees("loose objects");
    repository.git(&["repack", "-q", "-a", "-d"]);
    repository.agrees("a pack");
    repository.git(&["commit-graph", "write"]);
    repository.agrees("a commit graph");
    repository.git(&["multi-pack-index", "write"]);
    repository.agrees("an index of several packs");
}

#[test]
fn replacement_objects_are_ignored() {
    let repository = Repository::new(&[]);
    let [head, first] = [repository.name("HEAD"), repository.name("HEAD~2")];
    repository.git(&["replace", "HEAD~1", "HEAD~2"]);
    repository.agrees("a replacement");
    fs::create_dir_all(repository.tree.common_dir.join("info")).unwrap();
    fs::write(repository.tree.common_dir.join("info/grafts"), format!("{head} {first}\n")).unwrap();
    let parents = repository.in_process(|store| store.commit(&head)).unwrap().parents;
    assert_eq!(parents.len(), 2, "a graft");
}

#[test]
fn objects_of_alternates_are_found() {
    let repository = Repository::new(&[]);
    let other = tempfile::tempdir().unwrap();
    let objects = other.path().join("objects");
    fs::rename(repository.objects(), &objects).unwrap();
    fs::create_dir_all(repository.objects().join("info")).unwrap();
    let line = format!("{}\n", objects.display());
    fs::write(repository.objects().join("info/alternates"), line).unwrap();
    repository.agrees("an alternate");
}

#[test]
fn a_linked_work_tree_has_the_objects_of_its_repository() {
    let repository = Repository::new(&[]);
    repository.git(&["worktree", "add", "-q", "linked", "side"]);
    let linked = WorkTree::open(&repository.dir.path().join("linked")).unwrap();
    let read = linked.in_process("a test", soon(), |store| store.commit(&repository.name("side")));
    assert_eq!(read.unwrap().parents, [repository.name("side~1")]);
}

#[test]
fn other_revision_names_need_git() {
    let repository = Repository::new(&["--object-format=sha256"]);
    let head = repository.id("HEAD");
    assert!(repository.in_process(|store| store.commit(head.as_str())).is_none());
    let tree = repository.tree.tree_id(&head, soon()).unwrap();
    assert_eq!(tree.as_str(), repository.name("HEAD^{tree}"));
    assert!(repository.tree.is_ancestor(&repository.id("side"), &head, soon()).unwrap());
    let changed = repository.tree.changes_between(&repository.id("HEAD~1"), &head, soon());
    assert_eq!(changed.unwrap().len(), 1);
    let repository = Repository::new(&[]);
    let short = &repository.name("HEAD")[..12];
    assert!(repository.in_process(|store| store.commit(short)).is_none(), "an abbreviation");
    let id = CommitId::new(short).unwrap();
    assert_eq!(repository.tree.resolve(&id, soon()).unwrap(), repository.id("HEAD"));
}

#[test]
fn forged_and_missing_objects_are_not_read() {
    let repository = Repository::new(&[]);
    let file = |name: &str| repository.objects().join(&name[..2]).join(&name[2..]);
    let [one, two] = [repository.name("HEAD~2:folder/a"), repository.name("HEAD:folder/a")];
    let read = || repository.in_process(|store| store.blob(&two, 100));
    assert_eq!(read(), Some(BlobContents::Read(b"two".to_vec())));
    assert_eq!(
        repository.in_process(|store| store.blob(&two, 2)),
        Some(BlobContents::TooLarge { bytes: 3 })
    );
    fs::remove_file(file(&two)).unwrap();
    assert_eq!(read(), None);
    fs::copy(file(&one), file(&two)).unwrap();
    assert_eq!(read(), None);
    let [from, to] = [repository.name("HEAD~2"), repository.name("HEAD")];
    assert!(repository.in_process(|store| store.new_objects(&from, &to)).is_none());
    let error = repository.tree.is_ancestor(
        &CommitId::new(&"1".repeat(40)).unwrap(),
        &repository.id("HEAD"),
        soon(),
    );
    assert!(matches!(error, Err(VcsError::Failed { .. })), "{error:?}");
}

#[cfg(unix)]
#[test]
fn pipes_do_not_block() {
    let repository = Repository::new(&[]);
    let head = repository.name("HEAD");
    let pipe = |path: &Path| {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    };
    pipe(&repository.objects().join("pack/pack-1.idx"));
    assert!(repository.in_process(|store| store.commit(&head)).is_none());
    fs::remove_file(repository.objects().join("pack/pack-1.idx")).unwrap();
    assert!(repository.in_process(|store| store.commit(&head)).is_some());
    let alternates = repository.objects().join("info/alternates");
    pipe(&alternates);
    assert!(repository.in_process(|store| store.commit(&head)).is_none());
    fs::remove_file(&alternates).unwrap();
    let loose = repository.objects().join(&head[..2]).join(&head[2..]);
    fs::remove_file(&loose).unwrap();
    pipe(&loose);
    assert!(repository.in_process(|store| store.commit(&head)).is_none());
    let index = repository.dir.path().join(".git/index");
    fs::remove_file(&index).unwrap();
    pipe(&index);
    assert!(repository.tree.flags_in_index().is_none());
}

#[test]
fn index_flags_match_those_of_git() {
    let repository = Repository::new(&[]);
    let marks = || repository.tree.flags_in_index();
    let from_git = || repository.tree.listed_flags(soon()).unwrap();
    for args in [
        &["--assume-unchanged", "c"][..],
        &["--skip-worktree", "folder/a"],
        &["--skip-worktree", "c"],
        &["--index-version", "4"],
        &["--no-assume-unchanged", "c"],
        &["--fsmonitor"],
        &["--untracked-cache"],
    ] {
        repository.git(&[&["update-index"], args].concat());
        assert_eq!(marks(), Some(from_git()), "{args:?}");
        assert_ne!(from_git(), UnwatchedFiles::default());
    }
    repository.git(&["update-index", "--split-index"]);
    assert!(marks().is_none(), "an index of several files");
    let found = repository.tree.unwatched(soon()).unwrap();
    assert_eq!(found, ["c", "folder/a"]);
    repository.git(&["update-index", "--no-split-index"]);
    repository.git(&["update-index", "--no-skip-worktree", "folder/a", "c"]);
    repository.git(&["sparse-checkout", "set", "--sparse-index", "nothing"]);
    assert!(marks().is_none(), "an index with folders as entries");
    let found = repository.tree.unwatched(soon()).unwrap();
    assert_eq!(found, ["folder/a", "folder/same"]);
}

#[test]
fn long_histories_need_git() {
    let repository = Repository::new(&[]);
    let first = repository.name("HEAD");
    let stream: String = (0..LONGEST_WALK + 1)
        .map(|number| {
            let from = if number == 0 { format!("from {first}\n") } else { String::new() };
            format!("commit refs/heads/long\ncommitter a <a> {number} +0000\ndata 1\nx{from}\n")
        })
        .collect();
    let input = repository.dir.path().join("stream");
    fs::write(&input, stream).unwrap();
    repository.git(&["-c", "alias.read=!git fast-import --quiet <stream", "read"]);
    let last = repository.name("long");
    assert_eq!(repository.in_process(|store| store.is_ancestor(&first, &last)), None);
    let [first, last] = [CommitId::new(&first), CommitId::new(&last)].map(Result::unwrap);
    assert!(repository.tree.is_ancestor(&first, &last, soon()).unwrap());
}

/// A walk that is too deep would overflow the stack of the runner.
#[test]
fn too_deep_trees_are_reported_as_bad() {
    let repository = Repository::new(&[]);
    let first = repository.id("HEAD");
    let opened = git2::Repository::open(repository.dir.path()).unwrap();
    let odb = opened.odb().unwrap();
    let folder = |inside: Oid| [b"40000 a\0", inside.as_bytes()].concat();
    let mut tree = odb.write(ObjectType::Tree, b"").unwrap();
    let commit = |tree: Oid| {
        let name =
            repository.git(&["commit-tree", "-p", first.as_str(), "-m", "x", &tree.to_string()]);
        CommitId::new(&name).unwrap()
    };
    let mut bad = Vec::new();
    for depth in 1..=5_000 {
        tree = odb.write(ObjectType::Tree, &folder(tree)).unwrap();
        if [DEEPEST, DEEPEST + 2, 5_000].contains(&depth) {
            let mut proofs = crate::Proofs::default();
            let deep = commit(tree);
            let found = repository.tree.prove_objects(&mut proofs, &first, &deep, soon()).unwrap();
            bad.push(found.len());
            let changed = repository.tree.changed_conversions(&mut proofs, &first, &deep, soon());
            assert_eq!(changed.is_ok(), depth == DEEPEST, "{depth}");
        }
    }
    assert_eq!(bad, [0, 1, 1]);
}

/// Ten identical folders in each of ten levels: few objects, but 10^10 paths.
#[test]
fn trees_with_too_many_paths_are_reported_as_bad() {
    let repository = Repository::new(&[]);
    let first = repository.id("HEAD");
    let opened = git2::Repository::open(repository.dir.path()).unwrap();
    let odb = opened.odb().unwrap();
    let mut tree = odb.write(ObjectType::Tree, b"").unwrap();
    for _ in 0..10 {
        let entry = |number: u8| [b"40000 ", &[b'a' + number, 0][..], tree.as_bytes()].concat();
        let content: Vec<u8> = (0..10).flat_map(entry).collect();
        tree = odb.write(ObjectType::Tree, &content).unwrap();
    }
    let args = ["commit-tree", "-p", first.as_str(), "-m", "x", &tree.to_string()];
    let bomb = CommitId::new(&repository.git(&args)).unwrap();
    let mut proofs = crate::Proofs::default();
    let bad = repository.tree.prove_objects(&mut proofs, &first, &bomb, soon()).unwrap();
    assert_eq!(bad.len(), 1);
    assert!(repository.tree.changed_conversions(&mut proofs, &first, &bomb, soon()).is_err());
    let soon = Instant::now() + Duration::from_millis(200);
    let read = |store: &ObjectStore| store.differences(first.as_str(), bomb.as_str());
    assert!(repository.tree.in_process("a test", soon, read).is_none(), "it has a deadline");
}
