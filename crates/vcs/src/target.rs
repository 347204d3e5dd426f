//! A checkpoint to roll back to, with the trees of its commits.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::checkpoint::Known;
use crate::git_call::GitCall;
use crate::inventory::open_up;
use crate::inventory::{InventoryItem, ItemKind, Visit};
use crate::repo_path::Entries;
use crate::stamp::{Stamp, changed_at};
use crate::{Checkpoint, Result, WorkTree};

#[derive(Debug)]
pub(crate) struct Target<'c> {
    pub(crate) tree: &'c WorkTree,
    pub(crate) to: &'c Checkpoint,
    pub(crate) deadline: Instant,
    /// The commit with the files of the work tree.
    pub(crate) files_at: String,
    pub(crate) files: Entries,
    /// `None` if the staged state equals the files.
    pub(crate) staged: Option<Entries>,
    /// Includes the parent folders of files outside git.
    pub(crate) known: Known,
}

impl<'c> Target<'c> {
    pub(crate) fn read(tree: &'c WorkTree, to: &'c Checkpoint, deadline: Instant) -> Result<Self> {
        let head = tree.resolve(&to.head, deadline)?;
        let files_at = to.dirty.as_ref().unwrap_or(&head).to_string();
        let files = tree.entries(&files_at, deadline)?;
        let staged = to.dirty.as_ref().map(|dirty| tree.entries(&format!("{dirty}^2"), deadline));
        let staged = staged.transpose()?;
        let mut known = Known::of(&files, &to.unwatched);
        for name in to.ignored.files.keys().chain(&to.ignored.folders) {
            known.above(name);
        }
        known.folders.extend(to.ignored.folders.iter().cloned());
        Ok(Self { tree, to, deadline, files_at, files, staged, known })
    }

    /// A git that uses the recorded file settings.
    pub(crate) fn git(&self, command: &'static str) -> GitCall {
        let settings = self.to.settings.iter().map(|(name, value)| format!("{name}={value}"));
        GitCall::with_settings(self.tree, &settings.collect::<Vec<_>>(), command)
    }

    /// Whether nothing of this name existed.
    pub(crate) fn is_unknown(&self, found: &InventoryItem) -> bool {
        let before = self.to.ignored.files.get(&found.name);
        match found.kind {
            ItemKind::Repository => false,
            ItemKind::File => {
                let is_tracked = self.known.files.contains(&found.name)
                    && !self.to.unwatched.skipped.contains(&found.name);
                !is_tracked && before.is_none_or(Stamp::is_folder)
            }
            _ => {
                let was_folder = before.is_some_and(Stamp::is_folder);
                !was_folder && !self.known.folders.contains(&found.name)
            }
        }
    }

    /// Whether git writes the file, and its inode changed since.
    pub(crate) fn is_touched(&self, found: &InventoryItem) -> bool {
        let is_written_by_git = found.kind == ItemKind::File
            && self.known.files.contains(&found.name)
            && !self.to.unwatched.holds(&found.name);
        let since =
            || fs::symlink_metadata(&found.place).is_ok_and(|now| changed_at(&now) > self.to.taken);
        is_written_by_git && since()
    }
}

/// Walks the work tree after the session.
impl Visit for Target<'_> {
    /// Only repositories that existed before; a new one is removed like other files.
    fn is_repository(&self, name: &str, has_git: bool) -> bool {
        let is_submodule = has_git && self.known.submodules.contains(name);
        is_submodule || self.to.ignored.files.get(name) == Some(&Stamp::Repository)
    }

    fn retries(&self, name: &str, folder: &Path) -> bool {
        !self.to.ignored.files.contains_key(name) && open_up(folder)
    }
}
