//! Restores committed files after a change that is not allowed. Discarded changes are first kept in a backup commit,
//! because the user may have written them. The user's uncommitted files from before the run stay as they are.

use std::collections::BTreeSet;
use std::path::Path;

use sanitize::plain;
use vcs::{CommitId, DirtyKind, DirtyPath, TreeState, VcsError};
use verify::{Finding, RepositoryChange};

use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::notice::{Actor, listed};
use crate::workspace::project_snapshot::ProjectSnapshot;
use crate::workspace::repository::{ComparedTree, InspectedTree};
use crate::{RunError, own_file};

/// Uncommitted paths that are new since the run began.
#[derive(Debug, Default, PartialEq, Eq)]
struct UncommittedFiles {
    /// Committed files, and untracked paths that block them.
    changed: Vec<String>,
    untracked: Vec<String>,
}

impl Workspace<'_> {
    /// Called after a check or another actor of the snapshot. Returns the changes that are offences.
    pub(crate) fn restore_unexpected_changes(
        &mut self,
        snapshot: &ProjectSnapshot,
        folder: &Path,
    ) -> Result<Vec<String>, RunError> {
        let actor = snapshot.actor;
        let mut forbidden = self.restore_control(snapshot, folder)?;
        let hidden = self.unhide_files()?;
        forbidden.extend(hidden.into_values().map(|change| describe(actor, change)));
        let InspectedTree { mut now, mut compared } = self.inspect(Some(snapshot.head.clone()))?;
        let kept = self.stash_changes(actor, &now)?;
        let restored = self.restore_snapshot(snapshot, &now)?;
        if !restored.is_empty() {
            (now, compared) = (self.tree.state(deadline())?, None);
        }
        forbidden.extend(restored);
        self.report_ignored(&snapshot.origin(folder), &now.ignored)?;
        self.clean_up(actor, now, kept, folder)?;
        forbidden.extend(self.prove(actor, folder, compared)?);
        self.report_branches(&snapshot.origin(folder))?;
        self.report_uncommitted(&snapshot.origin(folder), &snapshot.head, &[])?;
        Ok(forbidden)
    }

    /// Each check must see the committed files, without changes by the check before it.
    pub(crate) fn clean_up_between(
        &mut self,
        snapshot: &ProjectSnapshot,
        folder: &Path,
    ) -> Result<Vec<String>, RunError> {
        let actor = snapshot.actor;
        let mut forbidden = self.restore_control(snapshot, folder)?;
        let InspectedTree { now, compared } = self.inspect(Some(snapshot.head.clone()))?;
        let kept = self.stash_changes(actor, &now)?;
        self.clean_up(actor, now, kept, folder)?;
        forbidden.extend(self.prove(actor, folder, compared)?);
        Ok(forbidden)
    }

    fn restore_control(
        &mut self,
        snapshot: &ProjectSnapshot,
        folder: &Path,
    ) -> Result<Vec<String>, RunError> {
        let origin = snapshot.origin(folder);
        let mut changed = self.restore_control_files(&origin)?;
        changed.extend(self.restore_own_branch(&origin, &snapshot.head)?);
        Ok(changed.into_iter().map(|change| describe(snapshot.actor, change)).collect())
    }

    fn prove(
        &mut self,
        actor: Actor,
        folder: &Path,
        compared: Option<ComparedTree>,
    ) -> Result<Vec<String>, RunError> {
        let Some(head) = self.tree.head(deadline())? else { return Ok(Vec::new()) };
        let found = self.prove_files(actor, &head, folder, compared)?;
        Ok(found.into_iter().map(|change| describe(actor, change)).collect())
    }

    /// Backs up everything that will be restored as a commit with a ref. If HEAD left the run's branch, its commits
    /// are included. Returns the name of the ref.
    pub(crate) fn stash_changes(
        &mut self,
        actor: Actor,
        now: &TreeState,
    ) -> Result<Option<String>, RunError> {
        let UncommittedFiles { mut changed, untracked } = self.uncommitted_files(&now.dirty);
        let has_left = now.branch.as_deref() != Some(self.baseline.branch.as_str());
        if has_left {
            changed.extend(untracked);
        }
        if changed.is_empty() && !has_left {
            return Ok(None);
        }
        // Without a commit there is nothing to build a backup on.
        let Some((head, committed)) = self.tree.head_and_tree(deadline())? else { return Ok(None) };
        let tree = loop {
            match self.tree.tree_with(&changed, deadline()) {
                Err(VcsError::OwnRepository { path }) if changed.contains(&path) => {
                    changed.retain(|known| *known != path);
                }
                tree => break tree?,
            }
        };
        let commit = if tree == committed {
            head
        } else {
            let message = format!("ralph: back up changes made while {actor} ran");
            self.tree.commit_tree(&tree, &[&head], &message, deadline())?
        };
        if tree == committed && !has_left {
            return Ok(None);
        }
        let short: String = commit.as_str().chars().take(12).collect();
        Ok(Some(self.back_up(&format!("put-back-{short}"), &commit)?))
    }

    /// Uncommitted files are not work of a session. Tracked files are restored, because the verdict is about the commit.
    /// Other files are moved into `folder`, because the next check would see them.
    pub(crate) fn clean_up(
        &mut self,
        actor: Actor,
        now: TreeState,
        kept: Option<String>,
        folder: &Path,
    ) -> Result<(), RunError> {
        let Some(head) = now.head else { return Ok(()) };
        let UncommittedFiles { changed, untracked } = self.uncommitted_files(&now.dirty);
        if !changed.is_empty() {
            let list = listed(&changed);
            self.restore_files_of(&head, changed)?;
            let kept = kept.map(|kept| format!(", backed up as {kept}")).unwrap_or_default();
            self.sink.warn(format!(
                "committed files were changed on disk while {actor} ran; restored{kept}: {list}"
            ));
        } else if let Some(kept) = kept {
            self.sink.warn(format!("changes made while {actor} ran are backed up as {kept}"));
        }
        if !untracked.is_empty() {
            let list = listed(&untracked);
            let moved = self.layout.name_of(&folder.join("moved"));
            self.sink.warn(format!(
                "{actor} left files that no commit contains; moved to {moved} (add them to .gitignore \
                 to keep them in place): {list}"
            ));
            for path in untracked {
                self.move_away(&path, folder)?;
            }
        }
        Ok(())
    }

    /// Restores each path from `from`, in the index and on disk. Returns those that stay on disk as they are. Can be
    /// repeated.
    pub(crate) fn restore_files_of(
        &mut self,
        from: &CommitId,
        paths: Vec<String>,
    ) -> Result<Vec<String>, RunError> {
        let (mut left, mut paths): (Vec<String>, Vec<String>) =
            paths.into_iter().partition(|path| self.baseline.is_dirty_before(path));
        let mut cleared = BTreeSet::new();
        while let Err(error) = self.tree.restore_paths(from, &paths, deadline()) {
            match &error {
                // git does not restore files inside a nested repository.
                VcsError::OwnRepository { path: own } => {
                    let is_own = |path: &String| path.trim_end_matches('/') == own;
                    if !paths.iter().any(is_own) {
                        return Err(error.into());
                    }
                    if self.tree.has_file(from, own, deadline())? && cleared.insert(own.clone()) {
                        self.move_nested_repository(own)?;
                        continue;
                    }
                    left.extend(paths.extract_if(.., |path| is_own(path)));
                    self.sink.warn(format!("left a nested git repository as it is: {own}"));
                    // git lists it with a slash, unless it is a submodule.
                    self.baseline.left_alone.extend([own.clone(), format!("{own}/")]);
                }
                // Ignored files in the place of a committed file.
                VcsError::PathConflict { path } if cleared.insert(path.clone()) => {
                    let root = self.layout.root();
                    if vcs::on_disk(root, path).join(".git").exists() {
                        let folder = self.layout.run_dir(&self.run_id);
                        self.move_away(path, &folder)?;
                        let (path, folder) = (plain(path), self.layout.name_of(&folder));
                        self.sink.warn(format!(
                            "a nested repository replaced a committed file; moved it to \
                             {folder}/moved: {path}"
                        ));
                        continue;
                    }
                    own_file::clear_path(root, &vcs::on_disk(root, path))
                        .map_err(RunError::disk(&path))?;
                }
                _ => return Err(error.into()),
            }
        }
        self.tree.reset_index(from, &left, deadline())?;
        Ok(left)
    }

    fn uncommitted_files(&self, dirty: &[DirtyPath]) -> UncommittedFiles {
        let new_paths = dirty
            .iter()
            .filter(|dirty| !self.layout.is_runtime(&dirty.path))
            .filter(|dirty| !self.baseline.is_excluded(&dirty.path));
        UncommittedFiles::of(new_paths)
    }
}

impl UncommittedFiles {
    fn of<'a>(dirty: impl Iterator<Item = &'a DirtyPath>) -> Self {
        let (untracked, changed): (Vec<_>, Vec<_>) =
            dirty.partition(|dirty| dirty.kind == DirtyKind::Untracked);
        let names = |dirty: Vec<&DirtyPath>| -> Vec<String> {
            dirty.into_iter().map(|dirty| dirty.path.clone()).collect()
        };
        let mut changed = names(changed);
        // Without an index git lists every committed file both as deleted and as untracked.
        let known: BTreeSet<String> = changed.iter().cloned().collect();
        let (obstacles, untracked): (Vec<String>, Vec<String>) = names(untracked)
            .into_iter()
            .filter(|path| !known.contains(path))
            .partition(|path| changed.iter().any(|file| collide(file, path)));
        changed.extend(obstacles);
        Self { changed, untracked }
    }
}

fn describe(actor: Actor, change: RepositoryChange) -> String {
    format!("while {actor} ran: {}", Finding::Repository(change))
}

/// Whether one path needs the other to be a folder.
fn collide(one: &str, other: &str) -> bool {
    let is_below = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    is_below(one, other) || is_below(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untracked_paths_that_block_a_committed_file_are_restored_with_it() {
        let dirty = |path: &str, kind| DirtyPath { path: path.into(), kind };
        let all = [
            dirty("a", DirtyKind::Deleted),
            dirty("a/x", DirtyKind::Untracked),
            dirty("ab", DirtyKind::Untracked),
            dirty("src/code", DirtyKind::Deleted),
            dirty("src", DirtyKind::Untracked),
            dirty("m", DirtyKind::Modified),
            dirty("staged", DirtyKind::Deleted),
            dirty("staged", DirtyKind::Untracked),
        ];
        let changed = ["a", "src/code", "m", "staged", "a/x", "src"].map(String::from).into();
        let expected = UncommittedFiles { changed, untracked: vec!["ab".into()] };
        assert_eq!(UncommittedFiles::of(all.iter()), expected);
    }
}
