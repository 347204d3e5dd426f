//! What a rollback does, discards and cannot restore.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use derive_more::Display;

use crate::git_call::GitCall;
use crate::index::Index;
use crate::path_text::{on_disk, os_string, to_bytes};
use crate::repo_path::RepoPath;
use crate::stamp::Stamp;
use crate::target::Target;
use crate::{Checkpoint, CommitId, Result, WorkTree};

/// All paths are relative to the project and sorted; folders end in a slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// New paths; a new folder is listed once.
    pub removed: Vec<String>,
    /// The number of removed files, including those in new folders.
    pub removed_files: u64,
    /// Restored paths: written by git to index or disk, or moved back.
    pub restored: Vec<String>,
    pub left: Vec<NotRestored>,
}

/// Treatment of new files that git ignores. No backup holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewIgnored {
    Removed,
    /// Kept, because their author is unknown.
    Kept,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Display)]
#[display("{path} ({why})")]
pub struct NotRestored {
    pub path: String,
    pub why: NotRestoredReason,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Display)]
pub enum NotRestoredReason {
    /// Ignored by git and changed: the old content is unknown.
    #[display("not tracked by git and changed")]
    Changed,
    #[display("not tracked by git and missing")]
    Gone,
    /// Ignored by git and new: it may be the user's.
    #[display("not tracked by git and new; it may be yours")]
    MayBeOthers,
    #[display("a submodule at another commit")]
    Submodule,
    #[display("cannot be removed: {_0}")]
    CannotRemove(String),
    #[display("git could not write it")]
    CannotRestore,
}

impl WorkTree {
    /// A commit of the current files without ignored ones. Its parents are HEAD and the tip of
    /// `branch`. `None` if it has nothing that `to` lacks.
    ///
    /// It has no ref; see `backup_ref`.
    pub fn discarded(
        &self,
        branch: &str,
        to: &Checkpoint,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Option<CommitId>> {
        let state = self.state(deadline)?;
        let tip = self.branch_tip(branch, deadline)?;
        let files = self.tree_of_files(state.dirty, &excluded, deadline)?;
        let mut parents: Vec<&CommitId> = state.head.iter().collect();
        if let Some(tip) = &tip
            && (parents.is_empty() || !self.is_ancestor(tip, parents[0], deadline)?)
        {
            parents.push(tip);
        }
        let before = self.tree_id(to.dirty.as_ref().unwrap_or(&to.head), deadline)?;
        if let [head] = parents[..] {
            if *head == to.head && files == before {
                return Ok(None);
            }
            if self.tree_id(head, deadline)? == files {
                return Ok(Some(head.clone()));
            }
        }
        self.unsigned_commit(&files, &parents, "ralph: what was rolled back", deadline).map(Some)
    }

    /// `name` is relative to the repository root.
    pub(crate) fn not_restored(&self, name: &str, why: NotRestoredReason) -> NotRestored {
        NotRestored { path: self.prefix.relative_text(name), why }
    }
}

impl Target<'_> {
    pub(crate) fn unrestored(&self) -> Result<BTreeSet<NotRestored>> {
        let mut left = BTreeSet::new();
        for (name, stamp) in &self.to.ignored.files {
            let place = on_disk(&self.tree.top, name);
            if is_as_before(&place, stamp) {
                continue;
            }
            left.insert(match Stamp::of(&place) {
                None => self.tree.not_restored(self.topmost_gone(name), NotRestoredReason::Gone),
                Some(_) => self.tree.not_restored(name, NotRestoredReason::Changed),
            });
        }
        let moved = self.moved_submodules()?;
        let submodule =
            |path: &RepoPath| self.tree.not_restored(&path.0, NotRestoredReason::Submodule);
        left.extend(moved.iter().map(submodule));
        Ok(left)
    }

    /// The name, or the topmost missing folder above it.
    fn topmost_gone<'n>(&self, name: &'n str) -> &'n str {
        let mut above = name.match_indices('/').map(|(slash, _)| slash);
        let gone = above.find(|slash| !on_disk(&self.tree.top, &name[..*slash]).is_dir());
        gone.map_or(name, |slash| &name[..=slash])
    }

    fn moved_submodules(&self) -> Result<Vec<RepoPath>> {
        if self.known.submodules.is_empty() {
            return Ok(Vec::new());
        }
        let index = Index::with(self.tree, Some(&self.files_at), self.deadline)?;
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", "--"];
        let call = GitCall::read(self.tree, "diff-files").env("GIT_LITERAL_PATHSPECS", "1");
        let submodules = self.known.submodules.iter().map(|name| os_string(&to_bytes(name)));
        index.apply(call.args(args).args(submodules)).names(self.deadline)
    }
}

fn is_as_before(place: &Path, stamp: &Stamp) -> bool {
    match stamp {
        Stamp::Repository => is_repository(place),
        Stamp::Closed => place.is_dir(),
        _ => Stamp::of(place).is_some_and(|now| now.without_inode() == stamp.without_inode()),
    }
}

pub(crate) fn is_repository(place: &Path) -> bool {
    let is_git = place.file_name().is_some_and(|name| name == ".git");
    is_git && place.is_dir() || fs::symlink_metadata(place.join(".git")).is_ok()
}
