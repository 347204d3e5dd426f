//! Records the state of a work tree so that it can be restored completely.
//!
//! Committed files are restored from their commit. Uncommitted files are stored in a commit without
//! a ref, whose parent holds the staged state. Ignored files are only stamped: a moved one is found
//! again, a changed one is reported but cannot be restored.
//!
//! Not recorded: file owners, modes of folders, most git settings, and other repositories.
//! Intent-to-add and conflict states are restored as unstaged.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::index::Index;
use crate::inventory::{InventoryItem, ItemKind, Visit};
use crate::path_text::on_disk;
use crate::repo_path::{Entries, RepoPath};
use crate::stamp::{Stamp, changed_at, inode};
use crate::{CommitId, DirtyKind, DirtyPath, Result, TreeId, VcsError, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    pub head: CommitId,
    /// The uncommitted files. The parents are `head` and a commit of the staged state. It has no
    /// ref; a caller that keeps it for long must create one.
    pub dirty: Option<CommitId>,
    pub ignored: IgnoredBefore,
    pub unwatched: UnwatchedFiles,
    /// Time of the file system clock. Files touched later are written again.
    pub taken: u64,
    /// Modes of tracked files that differ from the ones git would set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modes: BTreeMap<String, u32>,
    /// The settings with which git wrote the files. Empty if unknown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// Tracked files for which git trusts the index instead of the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnwatchedFiles {
    /// Marked skip-worktree, as in a sparse checkout.
    pub skipped: BTreeSet<String>,
    pub assumed: BTreeSet<String>,
}

/// State that no commit holds. Names are relative to the repository root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredBefore {
    /// Ignored files, files that git does not watch, and files that git cannot store.
    pub files: BTreeMap<String, Stamp>,
    /// Folders without tracked files: empty, or with excluded contents only.
    pub folders: BTreeSet<String>,
    /// Identities of the folders that are nested repositories.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repositories: BTreeMap<String, u64>,
}

impl WorkTree {
    /// `excluded` are untracked paths of the project; folders end in a slash. They are ignored here
    /// and in a rollback.
    pub fn checkpoint(
        &self,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Checkpoint> {
        let taken = self.disk_clock()?;
        let head = self.head(deadline)?.ok_or(VcsError::NoBranch)?;
        let dirty = self.keep_dirty(&head, &excluded, deadline)?;
        let entries = self.entries(dirty.as_ref().unwrap_or(&head).as_str(), deadline)?;
        let unwatched = self.unwatched_flags(deadline)?;
        let known = Known::of(&entries, &unwatched);
        let found = self.inventory(&known, &excluded)?;
        let ignored = IgnoredBefore::of(&found, &known, &unwatched);
        let modes = self.modes_beyond_git(&found, &entries, &unwatched)?;
        let settings = self.write_settings(deadline)?;
        Ok(Checkpoint { head, dirty, ignored, unwatched, taken, modes, settings })
    }

    /// On the file system of the work tree, but outside of it.
    pub(crate) fn disk_clock(&self) -> Result<u64> {
        let found = tempfile::tempfile_in(&self.git_dir).and_then(|file| file.metadata());
        found.map(|found| changed_at(&found)).map_err(VcsError::NoTemporaryFile)
    }

    fn keep_dirty(
        &self,
        head: &CommitId,
        excluded: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Option<CommitId>> {
        let dirty = self.state(deadline)?.dirty;
        if dirty.is_empty() {
            return Ok(None);
        }
        let committed = self.tree_id(head, deadline)?;
        let files = self.tree_of_files(dirty, excluded, deadline)?;
        let staged = match Index::copied(self)?.write_tree(deadline) {
            Ok(tree) => tree,
            // During a conflict the index has no tree.
            Err(VcsError::Failed { .. }) => committed.clone(),
            Err(error) => return Err(error),
        };
        if files == committed && staged == committed {
            return Ok(None);
        }
        let staged = self.unsigned_commit(&staged, &[head], "ralph: what was staged", deadline)?;
        let parents = [head, &staged];
        let message = "ralph: what was not committed";
        self.unsigned_commit(&files, &parents, message, deadline).map(Some)
    }

    /// HEAD's files plus everything uncommitted that git can store.
    pub(crate) fn tree_of_files(
        &self,
        dirty: Vec<DirtyPath>,
        excluded: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<TreeId> {
        let wanted = |dirty: &DirtyPath| match dirty.kind {
            DirtyKind::Untracked => !excluded(&dirty.path) && !dirty.path.ends_with('/'),
            _ => true,
        };
        let dirty = dirty.into_iter().filter(wanted).map(|dirty| dirty.path);
        let mut paths: Vec<String> =
            dirty.filter(|path| is_readable(&on_disk(&self.project, path))).collect();
        loop {
            match self.tree_with(&paths, deadline) {
                Err(VcsError::OwnRepository { path }) if paths.contains(&path) => {
                    paths.retain(|known| *known != path);
                }
                tree => return tree,
            }
        }
    }
}

/// git would abort on an unreadable file.
fn is_readable(place: &Path) -> bool {
    let is_file = fs::symlink_metadata(place).is_ok_and(|found| found.is_file());
    !is_file || fs::File::open(place).is_ok()
}

impl UnwatchedFiles {
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.skipped.contains(name) || self.assumed.contains(name)
    }
}

impl IgnoredBefore {
    fn of(found: &[InventoryItem], known: &Known, unwatched: &UnwatchedFiles) -> Self {
        let mut ignored = Self::default();
        for InventoryItem { name, place, kind } in found {
            let is_kept = known.files.contains(name) && !unwatched.holds(name);
            let stamp = match kind {
                ItemKind::File if is_kept => None,
                ItemKind::File => Stamp::of(place),
                ItemKind::Repository => Some(Stamp::Repository),
                ItemKind::Closed => Some(Stamp::Closed),
                ItemKind::Folder | ItemKind::EmptyFolder => None,
            };
            ignored.files.extend(stamp.map(|stamp| (name.clone(), stamp)));
            if *kind == ItemKind::Repository {
                let inode = fs::symlink_metadata(place).ok().as_ref().and_then(inode);
                ignored.repositories.extend(inode.map(|inode| (name.clone(), inode)));
            }
        }
        let mut led_to = Known::default();
        ignored.files.keys().for_each(|name| led_to.above(name));
        let is_folder =
            |found: &&InventoryItem| matches!(found.kind, ItemKind::Folder | ItemKind::EmptyFolder);
        let names = found.iter().filter(is_folder).map(|found| &found.name);
        let bare = names.filter(|name| ![known, &led_to].iter().any(|k| k.folders.contains(*name)));
        ignored.folders = bare.cloned().collect();
        ignored
    }
}

/// The files and folders that a commit implies.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) files: HashSet<String>,
    pub(crate) submodules: BTreeSet<String>,
    pub(crate) folders: HashSet<String>,
}

impl Known {
    /// Paths with skip-worktree imply no folders.
    pub(crate) fn of(entries: &Entries, unwatched: &UnwatchedFiles) -> Self {
        let mut known = Self::default();
        for (RepoPath(name), entry) in entries {
            if !unwatched.skipped.contains(name) {
                known.above(name);
            }
            if entry.is_submodule() {
                known.folders.insert(name.clone());
                known.submodules.insert(name.clone());
            } else {
                known.files.insert(name.clone());
            }
        }
        known
    }

    /// Every parent folder of `path`.
    pub(crate) fn above(&mut self, name: &str) {
        for (slash, _) in name.rmatch_indices('/') {
            if !self.folders.insert(name[..slash].to_owned()) {
                break;
            }
        }
    }
}

impl Visit for Known {
    /// A nested repository with tracked files inside counts as a normal folder.
    fn is_repository(&self, name: &str, has_git: bool) -> bool {
        let is_own = name.rsplit('/').next() == Some(".git");
        let is_folder = self.folders.contains(name) && !self.submodules.contains(name);
        is_own || (has_git && !is_folder)
    }

    fn retries(&self, _name: &str, _folder: &Path) -> bool {
        false
    }
}
