//! Computes the files of a commit without the changes of given commit ranges.
//!
//! The result is a tree: branches, index and work tree stay.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::index::{IndexInfo, ScratchIndex};
use crate::path_set::PathSet;
use crate::repo_path::RepoPath;
use crate::{CommitId, CommitRange, TreeId, VcsError, WorkTree};

/// Without directory rename detection, files that others added to a renamed folder stay where they
/// are.
const SETTINGS: [&str; 2] = ["merge.directoryRenames=false", "merge.renames=true"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeWithout {
    Tree(TreeId),
    /// git cannot merge these paths, which both the range and later commits changed. Reports the
    /// newest conflicting range; older ones were not tried.
    Conflict {
        paths: Vec<String>,
    },
}

impl WorkTree {
    /// The tree of `on` without the changes of `ranges`, which are in chronological order; the
    /// newest is reverted first.
    ///
    /// Later changes of others stay, merged where possible. `stay` are paths that keep the state of
    /// `on` (whole folders end in a slash). `files` are contents that replace files of `on`.
    /// Neither takes part in a merge.
    pub fn tree_without(
        &self,
        on: &CommitId,
        ranges: &[CommitRange],
        stay: &[String],
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<TreeWithout, VcsError> {
        let files = self.replacements(on, files, deadline)?;
        let untouched = Untouched { stay: self.path_set(stay)?, files };
        let mut tree = self.tree_id(on, deadline)?;
        for range in ranges.iter().rev() {
            let theirs = self.tree_id(&range.from, deadline)?;
            let base = self.tree_id(&range.to, deadline)?;
            let theirs = self.with_untouched(theirs, &base, &untouched, deadline)?;
            tree = match self.merge(Merge { base, ours: tree, theirs }, deadline)? {
                TreeWithout::Tree(tree) => tree,
                conflict @ TreeWithout::Conflict { .. } => return Ok(conflict),
            };
        }
        let mut info = IndexInfo::like(tree.as_str());
        for (path, entry) in &untouched.files {
            info.put(path, entry);
        }
        self.tree_with_entries(tree, &info, deadline).map(TreeWithout::Tree)
    }

    /// `files` as tree entries, without those that `on` lacks.
    fn replacements(
        &self,
        on: &CommitId,
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<BTreeMap<RepoPath, Entry>, VcsError> {
        let entries = self.entries(on.as_str(), deadline)?;
        let contents: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        let hashes = self.write_blobs(&contents, deadline)?;
        let mut replacements = BTreeMap::new();
        for ((path, _), hash) in files.iter().zip(&hashes) {
            let invalid = || VcsError::InvalidPath { path: path.clone() };
            let path = self.prefix.locate(path).ok_or_else(invalid)?;
            let entry = entries.get(&path).and_then(|entry| entry.with_contents(hash));
            replacements.extend(entry.map(|entry| (path, entry)));
        }
        Ok(replacements)
    }

    /// `tree`, with untouched paths taken from `source`.
    fn with_untouched(
        &self,
        tree: TreeId,
        source: &TreeId,
        untouched: &Untouched,
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        let mut info = IndexInfo::like(tree.as_str());
        let before = self.entries(tree.as_str(), deadline)?;
        let wanted = self.entries(source.as_str(), deadline)?;
        for path in before.keys().filter(|path| untouched.holds(path)) {
            if !wanted.contains_key(path) {
                info.remove(path);
            }
        }
        for (path, entry) in wanted.iter().filter(|(path, _)| untouched.holds(path)) {
            if before.get(path) != Some(entry) {
                info.put(path, entry);
            }
        }
        self.tree_with_entries(tree, &info, deadline)
    }

    fn tree_with_entries(
        &self,
        tree: TreeId,
        info: &IndexInfo,
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        if info.is_empty() {
            return Ok(tree);
        }
        let scratch = ScratchIndex::holding(self, tree.as_str(), deadline)?;
        scratch.feed(self, info, deadline)?;
        scratch.write_tree(self, deadline)
    }

    fn merge(&self, merge: Merge, deadline: Instant) -> Result<TreeWithout, VcsError> {
        let Merge { base, ours, theirs } = merge;
        if base == theirs {
            return Ok(TreeWithout::Tree(ours));
        }
        if base == ours {
            return Ok(TreeWithout::Tree(theirs));
        }
        // Older versions of git take the merge base only from the history, so it is constructed.
        let base = self.temporary_commit(&base, &[], deadline)?;
        let ours = self.temporary_commit(&ours, &[&base], deadline)?;
        let theirs = self.temporary_commit(&theirs, &[&base], deadline)?;
        let answer = GitCall::with_settings(self, &SETTINGS, "merge-tree")
            .args(["--write-tree", "-z", "--name-only", "--no-messages"])
            .args([ours.as_str(), theirs.as_str()])
            .answer(deadline)?;
        let mut words = answer.stdout.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let tree = words.next().and_then(|word| str::from_utf8(word).ok());
        let tree = tree.map(|tree| TreeId::new(tree.trim_end().to_owned()));
        let paths: BTreeSet<&[u8]> =
            words.map(|path| without_mark(path, [&ours, &theirs])).collect();
        match (answer.status.code(), tree) {
            (Some(0), Some(tree)) => Ok(TreeWithout::Tree(tree)),
            (Some(1), Some(_)) => {
                let paths = paths.into_iter().map(|path| self.prefix.relative(path)).collect();
                Ok(TreeWithout::Conflict { paths })
            }
            _ => Err(answer.failure("merge-tree")),
        }
    }
}

struct Merge {
    base: TreeId,
    ours: TreeId,
    theirs: TreeId,
}

/// Paths excluded from merges.
struct Untouched {
    stay: PathSet,
    files: BTreeMap<RepoPath, Entry>,
}

impl Untouched {
    fn holds(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path) || self.stay.holds(&path.0)
    }
}

/// git appends a side's name to a file that conflicts with a folder.
fn without_mark<'a>(path: &'a [u8], sides: [&CommitId; 2]) -> &'a [u8] {
    let mut marks = sides.into_iter().map(|side| format!("~{side}"));
    marks.find_map(|mark| path.strip_suffix(mark.as_bytes())).unwrap_or(path)
}
