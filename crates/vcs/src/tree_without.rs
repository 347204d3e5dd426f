//! A commit's files without what some stretches of work did to them.
//!
//! Only trees come of it: no branch moves, and index and work tree stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::index::{IndexInfo, ScratchIndex};
use crate::named::Named;
use crate::repo_path::RepoPath;
use crate::{CommitId, Stretch, TreeId, VcsError, WorkTree};

/// Where the work had folders renamed, files that somebody else put there since stay where they
/// put them.
const SETTINGS: [&str; 2] = ["merge.directoryRenames=false", "merge.renames=true"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Without {
    Tree(TreeId),
    /// Both the work and somebody after it changed these in ways that git cannot merge. Found in the
    /// newest stretch that has such; older ones were not tried.
    Conflict {
        paths: Vec<String>,
    },
}

impl WorkTree {
    /// The tree of `on` with the changes of the stretches taken out again. `stretches` are in the
    /// order in which they happened; the newest is taken out first.
    ///
    /// What others changed meanwhile stays, merged where git can. `stay` are paths that keep what
    /// `on` has (with a slash at the end, whole folders), and `files` are contents that a path gets
    /// in place of what it has in `on`, if it is a file there; neither takes part in a merge.
    pub fn tree_without(
        &self,
        on: &CommitId,
        stretches: &[Stretch],
        stay: &[String],
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<Without, VcsError> {
        let files = self.replacements(on, files, deadline)?;
        let untouched = Untouched { stay: self.named(stay)?, files };
        let mut tree = self.tree_id(on, deadline)?;
        for stretch in stretches.iter().rev() {
            let theirs = self.tree_id(&stretch.from, deadline)?;
            let base = self.tree_id(&stretch.to, deadline)?;
            let theirs = self.with_untouched(theirs, &base, &untouched, deadline)?;
            tree = match self.merge(Merge { base, ours: tree, theirs }, deadline)? {
                Without::Tree(tree) => tree,
                conflict @ Without::Conflict { .. } => return Ok(conflict),
            };
        }
        let mut info = IndexInfo::like(tree.as_str());
        for (path, entry) in &untouched.files {
            info.put(path, entry);
        }
        self.tree_with_entries(tree, &info, deadline).map(Without::Tree)
    }

    /// What `files` come to as entries; those that `on` has no file for are left out.
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

    /// `tree`, with what `source` has wherever nothing is to be touched.
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

    fn merge(&self, merge: Merge, deadline: Instant) -> Result<Without, VcsError> {
        let Merge { base, ours, theirs } = merge;
        if base == theirs {
            return Ok(Without::Tree(ours));
        }
        if base == ours {
            return Ok(Without::Tree(theirs));
        }
        // Older gits take the base of a merge from the history alone: these get one.
        let base = self.throw_away_commit(&base, &[], deadline)?;
        let ours = self.throw_away_commit(&ours, &[&base], deadline)?;
        let theirs = self.throw_away_commit(&theirs, &[&base], deadline)?;
        let answer = GitCall::with_settings(self, &SETTINGS, "merge-tree")
            .args(["--write-tree", "-z", "--name-only", "--no-messages"])
            .args([ours.as_str(), theirs.as_str()])
            .answer(deadline)?;
        let mut words = answer.printed.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let tree = words.next().and_then(|word| str::from_utf8(word).ok());
        let tree = tree.map(|tree| TreeId::new(tree.trim_end().to_owned()));
        let paths: BTreeSet<&[u8]> =
            words.map(|path| without_mark(path, [&ours, &theirs])).collect();
        match (answer.status.code(), tree) {
            (Some(0), Some(tree)) => Ok(Without::Tree(tree)),
            (Some(1), Some(_)) => {
                let paths = paths.into_iter().map(|path| self.prefix.relative(path)).collect();
                Ok(Without::Conflict { paths })
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

/// What no merge has a say in.
struct Untouched {
    stay: Named,
    files: BTreeMap<RepoPath, Entry>,
}

impl Untouched {
    fn holds(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path) || self.stay.holds(&path.0)
    }
}

/// git puts a side's name after that of a file which a folder leaves no room for.
fn without_mark<'a>(path: &'a [u8], sides: [&CommitId; 2]) -> &'a [u8] {
    let mut marks = sides.into_iter().map(|side| format!("~{side}"));
    marks.find_map(|mark| path.strip_suffix(mark.as_bytes())).unwrap_or(path)
}
