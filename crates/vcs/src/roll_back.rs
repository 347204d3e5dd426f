//! Rolls a work tree back to a checkpoint: branch, index and files.
//!
//! The order is branch, index, files. After a crash, a repetition gives the same result, and new
//! files are on disk until the last step.
//!
//! A tracked file that was touched is written again even if git considers it unchanged, because
//! line endings or mode may differ. It gets its recorded mode.
//!
//! Moved ignored files are moved back. Other changes of ignored files and of nested repositories
//! are only reported. Other branches, tags, stashes and git settings stay.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::time::Instant;

use crate::control_files::differing;
use crate::git_call::GitCall;
use crate::index::IndexInfo;
use crate::inventory::remove_all;
use crate::inventory::{InventoryItem, ItemKind};
use crate::path_text::on_disk;
use crate::repo_path::{Entries, RepoPath};
use crate::target::Target;
use crate::{Checkpoint, NewIgnored, NotRestoredReason, Result, RolledBack, WorkTree};

impl WorkTree {
    /// Restores `branch`, HEAD, the index and every file to the state of `to`; ends a merge or
    /// rebase in progress. `excluded` as for the checkpoint; `new_ignored` is the treatment of new
    /// ignored files.
    ///
    /// The caller saves the discarded state first, see `discarded`. If the branch is gone, its name
    /// must be free, see `free_branch_name`. After a kill, see `remove_abandoned_locks`.
    pub fn roll_back_and(
        &self,
        new_ignored: NewIgnored,
        branch: &str,
        to: &Checkpoint,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<RolledBack> {
        crate::refuse_invalid_branch(branch)?;
        let target = Target::read(self, to, deadline)?;
        if let Some(operation) = self.operation() {
            self.quit_operation(operation, deadline)?;
        }
        self.return_branch(branch, to, deadline)?;
        self.watch_again(to, deadline)?;
        let found = self.inventory(&target, &excluded)?;
        let unknown: Vec<&InventoryItem> =
            found.iter().filter(|found| target.is_unknown(found)).collect();
        let changed = target.index_as_in(&found)?;
        let mut rolled = RolledBack::default();
        let moved_out = self.move_out(target.moved_away(&found));
        let mut unknown = moved_out.without(&unknown);
        if new_ignored == NewIgnored::Kept {
            self.leave_ignored(&mut unknown, &mut rolled, deadline)?;
        }
        self.remove_unknown(&unknown, &mut rolled);
        let returned = self.move_back(moved_out, &mut rolled);
        let written = target.write_files(&mut rolled)?;
        // Entries that only the current index has were removed.
        let changed = changed.into_iter().filter(|path| target.files.contains_key(path));
        let restored: BTreeSet<RepoPath> = changed.chain(written).chain(returned).collect();
        rolled.restored = restored.iter().map(|path| self.project_path(path)).collect();
        target.stage_again()?;
        for folder in to.ignored.folders.iter().chain(&target.known.submodules) {
            // A removal that failed was reported.
            let _ = fs::create_dir_all(on_disk(&self.top, folder));
        }
        target.restore_modes(&mut rolled)?;
        rolled.left.extend(target.unrestored()?);
        rolled.left.sort();
        Ok(rolled)
    }

    fn return_branch(&self, branch: &str, to: &Checkpoint, deadline: Instant) -> Result<()> {
        let name = format!("refs/heads/{branch}");
        let reason = ["-m", "ralph: roll back"];
        let call = GitCall::write(self, "update-ref").args(reason);
        // A symbolic ref becomes a real branch again.
        call.args(["--no-deref", &name, to.head.as_str()]).output(deadline)?;
        let call = GitCall::write(self, "symbolic-ref").args(reason);
        call.args(["HEAD", &name]).run(deadline)
    }

    fn watch_again(&self, to: &Checkpoint, deadline: Instant) -> Result<()> {
        let mut unwatched = self.unwatched(deadline)?;
        unwatched.retain(|path| !to.unwatched.holds(path));
        if unwatched.is_empty() { Ok(()) } else { self.watch(&unwatched, deadline) }
    }

    /// They may be the user's and are in no backup, so they stay and are reported.
    fn leave_ignored(
        &self,
        unknown: &mut Vec<&InventoryItem>,
        rolled: &mut RolledBack,
        deadline: Instant,
    ) -> Result<()> {
        let files = unknown.iter().filter(|found| found.kind == ItemKind::File);
        let paths: Vec<RepoPath> = files.map(|found| RepoPath(found.name.clone())).collect();
        let ignored = self.ignored_by_name(&paths, deadline)?;
        let is_ignored = |found: &&InventoryItem| ignored.contains(&RepoPath(found.name.clone()));
        for found in unknown.iter().filter(|found| is_ignored(found)) {
            rolled.left.push(self.not_restored(&found.name, NotRestoredReason::MayBeOthers));
        }
        unknown.retain(|found| !is_ignored(found));
        Ok(())
    }

    fn remove_unknown(&self, unknown: &[&InventoryItem], rolled: &mut RolledBack) {
        let stayed = remove_all(unknown);
        let staying: HashSet<&str> = stayed.iter().map(|(found, _)| found.name.as_str()).collect();
        let gone = unknown.iter().filter(|found| !staying.contains(found.name.as_str()));
        let gone: Vec<&InventoryItem> = gone.copied().collect();
        let files = gone.iter().filter(|found| found.kind == ItemKind::File);
        rolled.removed_files = files.count() as u64;
        rolled.removed = self.topmost(gone);
        for (found, error) in stayed {
            let holds_others = error.kind() == ErrorKind::DirectoryNotEmpty;
            if !holds_others || found.kind == ItemKind::Closed {
                let why = NotRestoredReason::CannotRemove(error.to_string());
                rolled.left.push(self.not_restored(&found.name, why));
            }
        }
    }

    /// Excludes paths inside of a listed folder.
    fn topmost(&self, all: Vec<&InventoryItem>) -> Vec<String> {
        let is_folder = |found: &&&InventoryItem| found.kind != ItemKind::File;
        let folders = all.iter().filter(is_folder).map(|found| found.name.as_str());
        let folders: HashSet<&str> = folders.collect();
        let is_topmost = |name: &str| {
            name.match_indices('/').all(|(slash, _)| !folders.contains(&name[..slash]))
        };
        let topmost = all.iter().filter(|found| is_topmost(&found.name));
        let mut names: Vec<String> = topmost
            .map(|found| {
                let slash = if is_folder(&found) { "/" } else { "" };
                self.prefix.relative_text(&format!("{}{slash}", found.name))
            })
            .collect();
        names.sort();
        names
    }
}

impl Target<'_> {
    /// Sets the index to the checkpoint, without stat data for files that differ or were touched,
    /// so that git writes them. Returns the differing paths.
    fn index_as_in(&self, found: &[InventoryItem]) -> Result<Vec<RepoPath>> {
        let args = ["--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none"];
        let call = GitCall::read(self.tree, "diff-index").args(args).args([&self.files_at]);
        let changed: Vec<RepoPath> = call.names(self.deadline)?;
        let touched = found.iter().filter(|found| self.is_touched(found));
        let touched = touched.map(|found| RepoPath(found.name.clone()));
        self.put_into_index(&self.files, &changed.iter().cloned().chain(touched).collect())?;
        Ok(changed)
    }

    /// Sets each name in the index to `entries`, and restores the skip flags.
    fn put_into_index(&self, entries: &Entries, wanted: &BTreeSet<RepoPath>) -> Result<()> {
        let (index, deadline) = (self.tree.index(), self.deadline);
        let info = IndexInfo::of(self.to.head.as_str(), wanted.iter(), entries);
        index.feed(&info, deadline)?;
        let before = &self.to.unwatched;
        if before.skipped.is_empty() && before.assumed.is_empty() {
            return Ok(());
        }
        let now = self.tree.unwatched_flags(deadline)?;
        let lost = |before: &BTreeSet<String>, now: &BTreeSet<String>| -> Vec<RepoPath> {
            let lost = before.difference(now).cloned().map(RepoPath);
            lost.filter(|path| entries.contains_key(path)).collect()
        };
        index.mark(&["--skip-worktree"], &lost(&before.skipped, &now.skipped), deadline)?;
        index.mark(&["--assume-unchanged"], &lost(&before.assumed, &now.assumed), deadline)
    }

    fn stage_again(&self) -> Result<()> {
        let Some(staged) = &self.staged else { return Ok(()) };
        let differing = differing(&self.files, staged).into_iter().cloned().collect();
        self.put_into_index(staged, &differing)
    }
}
