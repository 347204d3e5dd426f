//! What a work tree is like before somebody works in it, so that all of it can come back.
//!
//! Committed files come back by their commit; what was not committed and is not ignored, by a commit
//! that no branch knows, with its parent for what was staged. What git ignores is only stamped: it
//! is found again if it was moved, and told if it changed, which nothing can bring back.
//!
//! Not seen: who owns a file, the modes of folders, most of git's settings, what is in other repositories,
//! and that a file was announced (`git add -N`) or in conflict: both come back as not staged.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::index::ScratchIndex;
use crate::inventory::{Found, FoundKind, HoldsGit, Visit};
use crate::path_text::on_disk;
use crate::repo_path::RepoPath;
use crate::stamp::{Stamp, inode, touched};
use crate::{CommitId, DirtyKind, DirtyPath, TreeId, VcsError, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    pub head: CommitId,
    /// The files as they were, where they differed from `head`. Its parents are `head` and a commit of
    /// what was staged. No name leads to it: whoever has to rely on it for long gives it one.
    pub dirty: Option<CommitId>,
    pub ignored: IgnoredBefore,
    pub unwatched: UnwatchedBefore,
    /// When it was taken, by the clock of the disk: what was touched later is written again.
    pub taken: u64,
    /// Permissions of files that git keeps, where it would give them others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modes: BTreeMap<String, u32>,
    /// By which git wrote files. Nothing is known of them if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// Tracked files of which git believed its index and not the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnwatchedBefore {
    /// Not to be checked out, as in a sparse checkout.
    pub skipped: BTreeSet<String>,
    pub assumed: BTreeSet<String>,
}

/// What no commit holds. All names are from the top of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredBefore {
    /// Ignored files, those that git was told not to look at, and whatever git cannot keep.
    pub files: BTreeMap<String, Stamp>,
    /// That nothing else leads to: empty ones, and those with nothing in them but what is excluded.
    pub folders: BTreeSet<String>,
    /// Which folders on the disk those are that hold a repository of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repositories: BTreeMap<String, u64>,
}

impl WorkTree {
    /// `excluded` gets paths of the project that are not tracked, a folder's with a slash at its end.
    /// They are never looked at, now and when it is rolled back.
    pub fn checkpoint(
        &self,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Checkpoint, VcsError> {
        let taken = self.disk_clock()?;
        let head = self.head(deadline)?.ok_or(VcsError::NoBranch)?;
        let dirty = self.keep_dirty(&head, &excluded, deadline)?;
        let entries = self.entries(dirty.as_ref().unwrap_or(&head).as_str(), deadline)?;
        let unwatched = self.unwatched_marks(deadline)?;
        let known = Known::of(&entries, &unwatched);
        let found = self.inventory(&Before { known: &known, excluded: &excluded })?;
        let ignored = IgnoredBefore::of(&found, &known, &unwatched);
        let modes = self.modes_beyond_git(&found, &entries, &unwatched)?;
        let settings = self.write_settings(deadline)?;
        Ok(Checkpoint { head, dirty, ignored, unwatched, taken, modes, settings })
    }

    /// Where the work tree is, and not in it.
    pub(crate) fn disk_clock(&self) -> Result<u64, VcsError> {
        let found = tempfile::tempfile_in(&self.git_dir).and_then(|file| file.metadata());
        found.map(|found| touched(&found)).map_err(VcsError::NoTemporaryFile)
    }

    fn keep_dirty(
        &self,
        head: &CommitId,
        excluded: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Option<CommitId>, VcsError> {
        let dirty = self.state(deadline)?.dirty;
        if dirty.is_empty() {
            return Ok(None);
        }
        let committed = self.tree_id(head, deadline)?;
        let files = self.tree_of_files(dirty, excluded, deadline)?;
        let staged = match ScratchIndex::copied(self)?.write_tree(self, deadline) {
            Ok(tree) => tree,
            // In the middle of a conflict there is none.
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

    /// HEAD's files with everything that is not committed and that git can keep.
    pub(crate) fn tree_of_files(
        &self,
        dirty: Vec<DirtyPath>,
        excluded: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
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

/// A file that git could not hash would be the end of everything.
fn is_readable(place: &Path) -> bool {
    let is_file = fs::symlink_metadata(place).is_ok_and(|found| found.is_file());
    !is_file || fs::File::open(place).is_ok()
}

impl UnwatchedBefore {
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.skipped.contains(name) || self.assumed.contains(name)
    }
}

impl IgnoredBefore {
    fn of(found: &[Found], known: &Known, unwatched: &UnwatchedBefore) -> Self {
        let mut ignored = Self::default();
        for Found { name, place, kind } in found {
            let is_kept = known.files.contains(name) && !unwatched.holds(name);
            let stamp = match kind {
                FoundKind::File if is_kept => None,
                FoundKind::File => Stamp::of(place),
                FoundKind::Repository => Some(Stamp::Repository),
                FoundKind::Closed => Some(Stamp::Closed),
                FoundKind::Folder | FoundKind::EmptyFolder => None,
            };
            ignored.files.extend(stamp.map(|stamp| (name.clone(), stamp)));
            if *kind == FoundKind::Repository {
                let inode = fs::symlink_metadata(place).ok().as_ref().and_then(inode);
                ignored.repositories.extend(inode.map(|inode| (name.clone(), inode)));
            }
        }
        let mut led_to = Known::default();
        ignored.files.keys().for_each(|name| led_to.above(name));
        let is_folder =
            |found: &&Found| matches!(found.kind, FoundKind::Folder | FoundKind::EmptyFolder);
        let names = found.iter().filter(is_folder).map(|found| &found.name);
        let bare = names.filter(|name| ![known, &led_to].iter().any(|k| k.folders.contains(*name)));
        ignored.folders = bare.cloned().collect();
        ignored
    }
}

/// What a commit leads one to expect in the work tree.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) files: HashSet<String>,
    pub(crate) submodules: BTreeSet<String>,
    pub(crate) folders: HashSet<String>,
}

impl Known {
    /// What is not checked out leads to no folder.
    pub(crate) fn of(entries: &BTreeMap<RepoPath, Entry>, unwatched: &UnwatchedBefore) -> Self {
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

    /// Every folder that has to be there for this to be in it.
    pub(crate) fn above(&mut self, name: &str) {
        for (slash, _) in name.rmatch_indices('/') {
            if !self.folders.insert(name[..slash].to_owned()) {
                break;
            }
        }
    }
}

struct Before<'a> {
    known: &'a Known,
    excluded: &'a dyn Fn(&str) -> bool,
}

impl Visit for Before<'_> {
    fn passes_over(&self, path: &str) -> bool {
        (self.excluded)(path)
    }

    /// One inside which files are tracked is a folder like others, and its `.git` something in it.
    fn is_repository(&self, name: &str, holds_git: HoldsGit) -> bool {
        let is_own = name.rsplit('/').next() == Some(".git");
        let is_folder = self.known.folders.contains(name) && !self.known.submodules.contains(name);
        is_own || (holds_git == HoldsGit::Yes && !is_folder)
    }

    fn refused(&self, _name: &str, _folder: &Path) -> bool {
        false
    }
}
