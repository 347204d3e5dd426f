//! In what two commits differ, path by path.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

/// A path that is not the same in two commits, relative to the project, with `/`: one outside of
/// the project's folder begins with `../`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added(Entry),
    Deleted(Entry),
    /// In contents, mode or kind.
    Modified {
        was: Entry,
        now: Entry,
    },
    /// What git takes for the same file under another name, with the same contents or similar ones.
    Renamed {
        from: String,
        was: Entry,
        now: Entry,
    },
}

/// What a path was and what it is; at least one of them is something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) was: Option<Entry>,
    pub(crate) now: Option<Entry>,
}

impl WorkTree {
    /// Every path in which the two commits differ, in the whole repository. Settings of the
    /// repository change nothing about it.
    pub fn changes_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<Changed>, VcsError> {
        let raw = self.raw_changes("--find-renames", from, to, deadline)?;
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
            Some(Changed { path: given(&raw.path), change })
        });
        changed.collect::<Option<_>>().ok_or(VcsError::Unreadable { command: "diff-tree" })
    }

    /// The same without renames.
    pub(crate) fn differences(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeMap<RepoPath, Difference>, VcsError> {
        let raw = self.raw_changes("--no-renames", from, to, deadline)?;
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
    /// Only if it was renamed.
    old_path: Option<Vec<u8>>,
    difference: Difference,
}

/// From `:mode mode hash hash letter<NUL>path<NUL>`, with a second path after a rename's.
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

/// None if it cannot be read.
fn side(mode: &str, hash: &str) -> Option<Option<Entry>> {
    if mode == "000000" { Some(None) } else { Entry::new(mode, hash).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_left_out_in_silence() {
        for output in
            ["x\0", ":100644 000000 a b\0p\0", ":1 000000 a b D\0p\0", ":100644 000000 a b D\0"]
        {
            assert_eq!(parse(output.as_bytes()), None, "{output}");
        }
        assert_eq!(parse(b""), Some(vec![]));
    }
}
