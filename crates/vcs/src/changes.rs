//! Lists the paths that differ between two commits.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::repo_path::RepoPath;
use crate::tree_object::TreeEntry;
use crate::{CommitId, VcsError, WorkTree};

/// A path that differs, relative to the project, with `/`. Paths outside the project start with
/// `../`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: String,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added(Entry),
    Deleted(Entry),
    /// Contents, mode or kind differ.
    Modified {
        was: Entry,
        now: Entry,
    },
    /// A rename detected by git, with equal or similar contents.
    Renamed {
        from: String,
        was: Entry,
        now: Entry,
    },
}

/// The old and new entry; at least one is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) was: Option<Entry>,
    pub(crate) now: Option<Entry>,
}

impl WorkTree {
    /// Every path of the repository that differs. Independent of the repository's settings.
    pub fn changes_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<ChangedPath>, VcsError> {
        let read = |store: &ObjectStore| renames(from, to, store);
        let raw = match self.in_process("renames", deadline, read) {
            Some(raw) => raw,
            None => self.raw_changes("--find-renames", from, to, deadline)?,
        };
        let changed = raw.into_iter().map(|raw| {
            let given = |path: &[u8]| self.prefix.relative(path);
            let change = match (raw.old_path, raw.difference.was, raw.difference.now) {
                (Some(from), Some(was), Some(now)) => {
                    Change::Renamed { from: given(&from), was, now }
                }
                (None, Some(was), Some(now)) => Change::Modified { was, now },
                (None, None, Some(now)) => Change::Added(now),
                (None, Some(was), None) => Change::Deleted(was),
                _ => return None,
            };
            Some(ChangedPath { path: given(&raw.path), change })
        });
        changed.collect::<Option<_>>().ok_or(VcsError::Unreadable { command: "diff-tree" })
    }

    /// Like `changes_between`, without rename detection.
    pub(crate) fn differences(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeMap<RepoPath, Difference>, VcsError> {
        let read = |store: &ObjectStore| store.differences(from.as_str(), to.as_str());
        let raw = match self.in_process("differences", deadline, read) {
            Some(found) => found.into_iter().map(RawChange::of).collect(),
            None => self.raw_changes("--no-renames", from, to, deadline)?,
        };
        Ok(raw.into_iter().map(|raw| (RepoPath::new(&raw.path), raw.difference)).collect())
    }

    fn raw_changes(
        &self,
        renames: &str,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<RawChange>, VcsError> {
        let args = ["-r", "-z", "--raw", renames, "--ignore-submodules=none", "--no-abbrev"];
        let call = GitCall::read(self, "diff-tree").args(args);
        let output = call.args([from.as_str(), to.as_str()]).output(deadline)?;
        parse(&output).ok_or(VcsError::Unreadable { command: "diff-tree" })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct RawChange {
    path: Vec<u8>,
    /// Only for renames.
    old_path: Option<Vec<u8>>,
    difference: Difference,
}

impl RawChange {
    fn of((path, [was, now]): (Vec<u8>, [Option<TreeEntry>; 2])) -> Self {
        let entry = |entry: Option<TreeEntry>| entry.and_then(|entry| entry.to_entry());
        let difference = Difference { was: entry(was), now: entry(now) };
        Self { path, old_path: None, difference }
    }

    fn gone(&self) -> Option<&Entry> {
        self.difference.was.as_ref().filter(|_| self.difference.now.is_none())
    }

    fn new_file(&self) -> Option<&Entry> {
        self.difference.now.as_ref().filter(|_| self.difference.was.is_none())
    }
}

/// Pairs removed and added files with equal, unique contents as renames. `None` if other pairs
/// could be similar; git decides then.
fn renames(from: &CommitId, to: &CommitId, store: &ObjectStore) -> Option<Vec<RawChange>> {
    let differences = store.differences(from.as_str(), to.as_str())?;
    let mut changes: Vec<RawChange> = differences.into_iter().map(RawChange::of).collect();
    let sides = [counted(&changes, RawChange::gone), counted(&changes, RawChange::new_file)];
    let [fewer, more] = if sides[0].len() <= sides[1].len() { [0, 1] } else { [1, 0] };
    let is_one = |hash: &String| sides[more].get(hash) == Some(&Some(1));
    if !sides[fewer].iter().all(|(hash, count)| *count == Some(1) && is_one(hash)) {
        return None;
    }
    let moved = |entry: &&Entry| sides[fewer].contains_key(entry.hash());
    let mut old = BTreeMap::new();
    changes.retain(|change| match change.gone().filter(moved) {
        Some(entry) => {
            old.insert(entry.hash().to_owned(), (change.path.clone(), entry.clone()));
            false
        }
        None => true,
    });
    for change in &mut changes {
        if let Some((path, was)) = change.new_file().and_then(|entry| old.remove(entry.hash())) {
            (change.old_path, change.difference.was) = (Some(path), Some(was));
        }
    }
    Some(changes)
}

/// How many files of one side have each content; regular files only.
fn counted(
    changes: &[RawChange],
    side: fn(&RawChange) -> Option<&Entry>,
) -> HashMap<String, Option<u32>> {
    let mut counted = HashMap::new();
    for entry in changes.iter().filter_map(side) {
        let count = counted.entry(entry.hash().to_owned()).or_insert(Some(0));
        let is_file = matches!(entry, Entry::File(_) | Entry::Executable(_));
        *count = count.filter(|_| is_file).map(|count| count + 1);
    }
    counted
}

/// Parses `:mode mode hash hash letter<NUL>path<NUL>`, with a second path for renames.
fn parse(output: &[u8]) -> Option<Vec<RawChange>> {
    let mut words = output.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let mut changes = Vec::new();
    while let Some(facts) = words.next() {
        let facts = str::from_utf8(facts).ok()?.strip_prefix(':')?;
        let facts: Vec<&str> = facts.split(' ').collect();
        let [old_mode, new_mode, old_hash, new_hash, letter] = facts[..] else { return None };
        let first = words.next()?.to_vec();
        let (path, old_path) = if letter.starts_with('R') {
            (words.next()?.to_vec(), Some(first))
        } else {
            (first, None)
        };
        let difference =
            Difference { was: side(old_mode, old_hash)?, now: side(new_mode, new_hash)? };
        changes.push(RawChange { path, old_path, difference });
    }
    Some(changes)
}

/// `None` if malformed.
fn side(mode: &str, hash: &str) -> Option<Option<Entry>> {
    if mode == "000000" { Some(None) } else { Entry::new(mode, hash).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_match_those_of_git() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let text = |number: usize| format!("{}{number}\n", "one line of many\n".repeat(20));
        let contents =
            ["short\n".to_owned(), "other\n".to_owned(), text(1), text(2), String::new()];
        let (mut commits, mut random) = (Vec::new(), 7_u64);
        for _ in 0..80 {
            for name in ["a", "b", "c/a", "c/d"] {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let file = dir.path().join(name);
                let _ = std::fs::remove_file(&file);
                if let Some(content) = contents.get((random >> 33) as usize % 8) {
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(file, content).unwrap();
                }
            }
            commits.push(CommitId::new(&test_repo::commit_all(dir.path())).unwrap());
        }
        let tree = WorkTree::open(dir.path()).unwrap();
        let (deadline, mut renamed) = (Instant::now() + std::time::Duration::from_secs(60), 0);
        for pair in commits.windows(2) {
            let from_git =
                tree.raw_changes("--find-renames", &pair[0], &pair[1], deadline).unwrap();
            if let Some(found) =
                tree.in_process("a test", deadline, |store| renames(&pair[0], &pair[1], store))
            {
                assert_eq!(found, from_git);
                renamed += found.iter().filter(|change| change.old_path.is_some()).count();
            }
        }
        assert!(renamed > 5, "{renamed}");
    }

    #[test]
    fn unknown_formats_are_errors() {
        for output in
            ["x\0", ":100644 000000 a b\0p\0", ":1 000000 a b D\0p\0", ":100644 000000 a b D\0"]
        {
            assert_eq!(parse(output.as_bytes()), None, "{output}");
        }
        assert_eq!(parse(b""), Some(vec![]));
    }
}
