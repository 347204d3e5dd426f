//! Computes trees: the files of a commit with additional files, or without the changes of given
//! commit ranges.
//!
//! Branches, index and work tree stay.

use std::time::Instant;

use crate::control_files::differing;
use crate::index::{Index, IndexInfo};
use crate::repo_path::{Entries, PathSet, RepoPath};
use crate::tree_object::{Entry, EntryMode};
use crate::{BlobId, CommitId, CommitRange, MergeResult, Result, TreeId, VcsError, WorkTree};

impl WorkTree {
    /// The tree with these files added or replaced, ignored or not. A file that would replace others is
    /// an error.
    pub fn tree_plus(
        &self,
        tree: TreeId,
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<TreeId> {
        let entries = self.entries(tree.as_str(), deadline)?;
        let mut info = IndexInfo::like(tree.as_str());
        for (path, id) in self.stored(files, deadline)? {
            if !is_free(&path, &entries) {
                return Err(VcsError::PathConflict { path: self.project_path(&path) });
            }
            let before = entries.get(&path).filter(|entry| entry.is_regular_file());
            let mode = before.map_or(EntryMode::File, |entry| entry.mode);
            info.set(&path, Some(&Entry { mode, id }));
        }
        self.tree_with_entries(tree, &info, deadline)
    }

    /// The tree of `on` without the changes of `ranges`, which are in chronological order; the
    /// newest is reverted first.
    ///
    /// A conflict is that of the newest range that git cannot merge; older ones were not tried.
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
    ) -> Result<MergeResult> {
        let files = self.replacements(on, files, deadline)?;
        let untouched = Untouched { stay: self.path_set(stay)?, files };
        let mut tree = self.tree_id(on, deadline)?;
        for range in ranges.iter().rev() {
            let theirs = self.tree_id(&range.from, deadline)?;
            let base = self.tree_id(&range.to, deadline)?;
            let theirs =
                self.tree_with_paths_of(theirs, &base, |path| untouched.holds(path), deadline)?;
            tree = match self.merge_trees(self, [&base, &tree, &theirs], deadline)? {
                MergeResult::Clean(tree) => tree,
                conflict @ MergeResult::Conflict(_) => return Ok(conflict),
            };
        }
        let info = IndexInfo::of(tree.as_str(), untouched.files.keys(), &untouched.files);
        self.tree_with_entries(tree, &info, deadline).map(MergeResult::Clean)
    }

    /// `files` as tree entries, without those that `on` lacks.
    fn replacements(
        &self,
        on: &CommitId,
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<Entries> {
        let entries = self.entries(on.as_str(), deadline)?;
        let replacements = self.stored(files, deadline)?.into_iter().filter_map(|(path, id)| {
            let mode = entries.get(&path).filter(|entry| entry.is_regular_file())?.mode;
            Some((path, Entry { mode, id }))
        });
        Ok(replacements.collect())
    }

    /// Stores the contents of files.
    fn stored(
        &self,
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<Vec<(RepoPath, BlobId)>> {
        let paths = files.iter().map(|(path, _)| self.located(path));
        let paths: Vec<RepoPath> = paths.collect::<Result<_>>()?;
        let contents: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        Ok(paths.into_iter().zip(self.write_blobs(&contents, deadline)?).collect())
    }

    /// `tree`, with the paths that `is_taken` selects from `source`.
    pub(crate) fn tree_with_paths_of(
        &self,
        tree: TreeId,
        source: &TreeId,
        is_taken: impl Fn(&RepoPath) -> bool,
        deadline: Instant,
    ) -> Result<TreeId> {
        let before = self.entries(tree.as_str(), deadline)?;
        let wanted = self.entries(source.as_str(), deadline)?;
        let differing = differing(&before, &wanted).into_iter();
        let paths = differing.filter(|path| is_taken(path));
        let info = IndexInfo::of(tree.as_str(), paths, &wanted);
        self.tree_with_entries(tree, &info, deadline)
    }

    fn tree_with_entries(
        &self,
        tree: TreeId,
        info: &IndexInfo,
        deadline: Instant,
    ) -> Result<TreeId> {
        if info.is_empty() {
            return Ok(tree);
        }
        let index = Index::with(self, Some(tree.as_str()), deadline)?;
        index.feed(info, deadline)?;
        index.write_tree(deadline)
    }
}

/// Paths excluded from merges.
struct Untouched {
    stay: PathSet,
    files: Entries,
}

impl Untouched {
    fn holds(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path) || self.stay.holds(&path.0)
    }
}

/// Whether no folder, parent file or submodule conflicts with the name.
fn is_free(path: &RepoPath, entries: &Entries) -> bool {
    let first_inside = entries.range(path.inside()..).next();
    let is_folder = first_inside.is_some_and(|(found, _)| path.holds(found));
    let in_file = path.above().any(|folder| entries.contains_key(&folder));
    let in_place = entries.get(path).is_some_and(Entry::is_submodule);
    !is_folder && !in_file && !in_place
}
