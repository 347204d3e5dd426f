//! Creates trees with additional files, without changing index or work tree.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::entry::Entry;
use crate::index::{IndexInfo, ScratchIndex};
use crate::repo_path::RepoPath;
use crate::{CommitId, TreeId, VcsError, WorkTree};

impl WorkTree {
    /// The tree of a commit with these files added or replaced, ignored or not. A file that would
    /// replace others is an error.
    pub fn tree_plus(
        &self,
        on: &CommitId,
        files: &[(String, Vec<u8>)],
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        let entries = self.entries(on.as_str(), deadline)?;
        let mut info = IndexInfo::like(self.tree_id(on, deadline)?.as_str());
        let contents: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        let hashes = self.write_blobs(&contents, deadline)?;
        for ((path, _), hash) in files.iter().zip(&hashes) {
            let invalid = || VcsError::InvalidPath { path: path.clone() };
            let located = self.prefix.locate(path).ok_or_else(invalid)?;
            if !is_free(&located, &entries) {
                return Err(VcsError::PathConflict { path: path.clone() });
            }
            let before = entries.get(&located);
            let entry = before.and_then(|entry| entry.with_contents(hash));
            let entry = entry.or_else(|| Entry::new("100644", hash));
            info.put(&located, &entry.ok_or_else(invalid)?);
        }
        let scratch = ScratchIndex::new(self, Some(on), deadline)?;
        scratch.feed(self, &info, deadline)?;
        scratch.write_tree(self, deadline)
    }
}

/// Whether no folder, parent file or submodule conflicts with the name.
fn is_free(path: &RepoPath, entries: &BTreeMap<RepoPath, Entry>) -> bool {
    let first_inside = entries.range(path.inside()..).next();
    let is_folder = first_inside.is_some_and(|(found, _)| path.holds(found));
    let in_file = path.above().any(|folder| entries.contains_key(&folder));
    let in_place = entries.get(path).is_some_and(Entry::is_submodule);
    !is_folder && !in_file && !in_place
}
