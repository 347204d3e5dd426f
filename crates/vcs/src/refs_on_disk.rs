//! Reads refs from their files: the runner reads HEAD and all branches several times per iteration,
//! and git processes would dominate its time.
//!
//! `Unclear` is everything that git does not write itself: links, pipes, malformed lines, invalid
//! names, the reftable format. git is asked then.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bounded_read::FileError;

use crate::path_text::{from_bytes, from_os, on_disk};
use crate::{WorkTree, is_branch_name};

/// Limit for one ref file.
const LONGEST: u64 = 4096;

/// Enough for a few hundred thousand refs.
const LARGEST_PACK: u64 = 64 * 1024 * 1024;

/// Maximum chain of symbolic refs, as in git.
const DEPTH: usize = 5;

/// Present in repositories that use the reftable format.
const ELSEWHERE: &str = "reftable";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reference {
    Absent,
    /// Points to another ref.
    Symbolic(String),
    Hash(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unclear;

impl WorkTree {
    /// By its full name: `HEAD` or `refs/heads/main`.
    pub(crate) fn reference(&self, name: &str) -> Result<Reference, Unclear> {
        if self.common_dir.join(ELSEWHERE).exists() {
            return Err(Unclear);
        }
        let folder = if name == "HEAD" { &self.git_dir } else { &self.common_dir };
        match loose(&on_disk(folder, name))? {
            Reference::Absent if name != "HEAD" => {
                let packed = self.packed_references()?.remove(name);
                Ok(packed.map_or(Reference::Absent, Reference::Hash))
            }
            found => Ok(found),
        }
    }

    /// The final hash of a ref. `None` if it does not exist yet.
    pub(crate) fn resolved(&self, name: &str) -> Result<Option<String>, Unclear> {
        let mut name = name.to_owned();
        for _ in 0..=DEPTH {
            match self.reference(&name)? {
                Reference::Absent => return Ok(None),
                Reference::Hash(hash) => return Ok(Some(hash)),
                Reference::Symbolic(target) => name = target,
            }
        }
        Err(Unclear)
    }

    /// All refs with or below these names, with their final hash.
    pub(crate) fn references(&self, roots: &[&str]) -> Result<BTreeMap<String, String>, Unclear> {
        self.resolved("HEAD")?;
        let is_inside = |name: &str| {
            let is_at = |rest: &str| rest.is_empty() || rest.starts_with('/');
            roots.iter().any(|root| name.strip_prefix(root).is_some_and(is_at))
        };
        let mut found = self.packed_references()?;
        found.retain(|name, _| is_inside(name));
        for root in roots {
            match loose(&on_disk(&self.common_dir, root))? {
                Reference::Absent => self.add_loose(root, &mut found)?,
                Reference::Hash(hash) => drop(found.insert((*root).to_owned(), hash)),
                Reference::Symbolic(_) => return Err(Unclear),
            }
        }
        Ok(found)
    }

    fn add_loose(&self, folder: &str, to: &mut BTreeMap<String, String>) -> Result<(), Unclear> {
        let Ok(entries) = fs::read_dir(on_disk(&self.common_dir, folder)) else { return Ok(()) };
        for entry in entries {
            let entry = entry.map_err(|_| Unclear)?;
            let name = format!("{folder}/{}", from_os(&entry.file_name()));
            if entry.file_type().map_err(|_| Unclear)?.is_dir() {
                self.add_loose(&name, to)?;
            } else if !name.ends_with(".lock") {
                let hash = self.resolved(&name)?.filter(|_| is_branch_name(&name));
                to.insert(name, hash.ok_or(Unclear)?);
            }
        }
        Ok(())
    }

    fn packed_references(&self) -> Result<BTreeMap<String, String>, Unclear> {
        match bounded_read::read_file(&self.common_dir.join("packed-refs"), LARGEST_PACK) {
            Ok(bytes) => packed(&bytes).ok_or(Unclear),
            Err(FileError::Absent) => Ok(BTreeMap::new()),
            Err(_) => Err(Unclear),
        }
    }
}

fn loose(path: &Path) -> Result<Reference, Unclear> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => {}
        // It may be a folder with refs below.
        Ok(found) if found.is_dir() => return Ok(Reference::Absent),
        Ok(_) => return Err(Unclear),
        Err(_) => {}
    }
    match bounded_read::read_file(path, LONGEST) {
        Ok(bytes) => parsed(&bytes).ok_or(Unclear),
        Err(FileError::Absent) => Ok(Reference::Absent),
        Err(_) => Err(Unclear),
    }
}

fn parsed(bytes: &[u8]) -> Option<Reference> {
    let line = bytes.trim_ascii_end();
    match line.strip_prefix(b"ref:") {
        Some(target) => {
            let target = from_bytes(target.trim_ascii_start());
            let is_name = target.starts_with("refs/") && is_branch_name(&target);
            is_name.then(|| Reference::Symbolic(target.into_owned()))
        }
        None => hash(line).map(Reference::Hash),
    }
}

/// `None` if the names are unsorted: git uses binary search and would find other refs.
fn packed(bytes: &[u8]) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut last: &[u8] = b"";
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    // The first line may be a comment. A `^` line has the peeled value of the tag before it.
    let lines = lines.enumerate().filter(|(at, line)| *at > 0 || !line.starts_with(b"#"));
    for (_, line) in lines.filter(|(_, line)| !line.starts_with(b"^")) {
        let space = line.iter().position(|byte| *byte == b' ')?;
        let name = &line[space + 1..];
        let text = from_bytes(name);
        (name > last && is_branch_name(&text)).then_some(())?;
        found.insert(text.into_owned(), hash(&line[..space])?);
        last = name;
    }
    Some(found)
}

/// The rules of `git check-ref-format`, with any number of wildcards.
pub(crate) fn is_ref_name(name: &str) -> bool {
    let is_odd = |c: char| c.is_ascii_control() || " ~^:?[\\".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    name.split('/').all(is_part)
        && !name.contains(is_odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
}

/// Excludes the null hash.
fn hash(text: &[u8]) -> Option<String> {
    let is_hash = matches!(text.len(), 40 | 64)
        && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.iter().any(|byte| *byte != b'0');
    is_hash.then(|| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::{Duration, Instant};

    use super::*;

    const ROOTS: [&str; 3] = ["refs/heads", "refs/tags", "refs/stash"];

    struct Repository(tempfile::TempDir);

    impl Repository {
        fn new(init: &[&str]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            test_repo::git(dir.path(), &[&["init", "-q", "-b", "main"], init].concat());
            Self(dir)
        }

        fn with_commit() -> Self {
            let repository = Self::new(&[]);
            test_repo::init(repository.0.path());
            test_repo::commit_all(repository.0.path());
            repository
        }

        fn git(&self, args: &[&str]) -> String {
            test_repo::git(self.0.path(), args)
        }

        fn tree(&self) -> WorkTree {
            WorkTree::open(self.0.path()).unwrap()
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(".git").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// Read from the files and equal to git's output.
        fn agrees(&self, tree: &WorkTree, what: &str) {
            let printed = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
            let lines = printed.lines().filter_map(|line| line.split_once(' '));
            let from_git = lines.map(|(name, hash)| (name.to_owned(), hash.to_owned())).collect();
            assert_eq!(tree.references(&ROOTS), Ok(from_git), "{what}");
            let head = test_repo::git(&tree.top, &["rev-parse", "HEAD"]);
            assert_eq!(tree.resolved("HEAD"), Ok(Some(head)), "{what}");
        }
    }

    #[test]
    fn refs_match_those_of_git() {
        let repository = Repository::with_commit();
        let tree = repository.tree();
        repository.agrees(&tree, "one branch");
        for args in [
            &["branch", "feature/a-b"][..],
            &["tag", "-a", "-m", "x", "v1"],
            &["tag", "v2"],
            &["update-ref", "refs/stash", "HEAD"],
            &["symbolic-ref", "refs/heads/alias", "refs/heads/feature/a-b"],
            &["pack-refs", "--all"],
            &["commit", "-q", "--allow-empty", "-m", "newer than what is packed"],
            &["branch", "-D", "feature/a-b"],
            &["branch", "feature"],
            &["pack-refs", "--all"],
            &["checkout", "-q", "--detach"],
            &["checkout", "-q", "feature"],
        ] {
            // git handles a symbolic ref to a deleted branch.
            if args[0] == "branch" && args[1] == "-D" {
                repository.git(&["symbolic-ref", "-d", "refs/heads/alias"]);
            }
            repository.git(args);
            repository.agrees(&tree, &args.join(" "));
        }
        repository.git(&["worktree", "add", "-q", "linked", "-b", "other"]);
        let linked = WorkTree::open(&repository.0.path().join("linked")).unwrap();
        repository.agrees(&linked, "another work tree");
        assert_eq!(linked.reference("HEAD"), Ok(Reference::Symbolic("refs/heads/other".into())));
    }

    #[test]
    fn before_the_first_commit_head_is_none() {
        let tree = Repository::new(&[]);
        assert_eq!(tree.tree().resolved("HEAD"), Ok(None));
        assert_eq!(tree.tree().references(&ROOTS), Ok(BTreeMap::new()));
    }

    #[test]
    fn unusual_files_need_git() {
        let hash = "0123456789012345678901234567890123456789";
        for (name, text) in [
            ("refs/heads/x", ""),
            ("refs/heads/x", "nonsense"),
            ("refs/heads/x", "0000000000000000000000000000000000000000\n"),
            ("refs/heads/x", "ref: ../../outside"),
            ("refs/heads/x", "ref: refs/heads/../../outside"),
            ("refs/heads/x", "ref: refs/heads/x"),
            ("refs/heads/x", "ref: refs/heads/gone"),
            ("refs/heads/a..b", hash),
            ("refs/tags/-x/.y", hash),
            ("packed-refs", "nonsense"),
            ("packed-refs", &format!("{hash} refs/heads/a..b\n")),
            ("packed-refs", &format!("{hash} refs/heads/b\n{hash} refs/heads/a\n")),
            ("packed-refs", &format!("{hash} refs/heads/a\n{hash} refs/heads/a\n")),
            ("packed-refs", &format!("{hash} refs/heads/a\n# a comment\n")),
            ("HEAD", "ref: refs/heads/.invalid\n"),
        ] {
            let repository = Repository::with_commit();
            repository.write(name, text);
            assert_eq!(repository.tree().references(&ROOTS), Err(Unclear), "{name} {text}");
        }
        let repository = Repository::with_commit();
        repository.write("refs/heads/main.lock", "");
        repository.agrees(&repository.tree(), "a lock is no branch");
    }

    #[cfg(unix)]
    #[test]
    fn links_need_git() {
        let repository = Repository::with_commit();
        let heads = repository.0.path().join(".git/refs/heads");
        std::os::unix::fs::symlink("main", heads.join("link")).unwrap();
        assert_eq!(repository.tree().references(&ROOTS), Err(Unclear));
        assert_eq!(repository.tree().reference("refs/heads/link"), Err(Unclear));
    }

    #[test]
    fn reftable_needs_git() {
        if Repository::with_commit().git(&["version"]).as_str() < "git version 2.45" {
            let _ = writeln!(std::io::stderr(), "\nSKIPPED: reftable: this git does not have it");
            return;
        }
        let repository = Repository::new(&["--ref-format=reftable"]);
        let before = test_repo::commit_all(repository.0.path());
        repository.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        let (tree, soon) = (repository.tree(), Instant::now() + Duration::from_secs(30));
        assert_eq!(tree.resolved("HEAD"), Err(Unclear));
        assert_eq!(tree.head(soon).unwrap().unwrap().as_str(), before);
        let all = tree.branches_and_tags(soon).unwrap();
        assert!(all.len() == 2 && all.values().all(|hash| *hash == before), "{all:?}");
        assert!(tree.is_on_branch("main", soon).unwrap());
        assert_eq!(tree.symbolic_target("main", soon).unwrap(), None);
        let target = tree.symbolic_target("alias", soon).unwrap();
        assert_eq!(target.as_deref(), Some("refs/heads/main"));
    }
}
