//! A work tree back to a checkpoint: branch, index and files, and nothing more than there was.
//!
//! The branch comes first, then the index, then the files: wherever it is cut off, doing it again
//! ends in the same state, and until the files' turn everything that was made is still on disk.
//!
//! A tracked file that anybody has touched since is written again, also if git takes it for unchanged:
//! its line endings or its mode may be others. It gets the mode that it had.
//!
//! What git ignores is moved back if it was moved. Not brought back: what else happened to it, and
//! what is in other repositories, which is told. Other branches,
//! tags, stashes and git's settings are not touched.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::{GitCall, names};
use crate::index::IndexInfo;
use crate::inventory::{Found, FoundKind};
use crate::path_text::on_disk;
use crate::removal::remove_all;
use crate::repo_path::RepoPath;
use crate::target::{After, Target};
use crate::{Checkpoint, Left, NewIgnored, RolledBack, VcsError, WhyLeft, WorkTree};

impl WorkTree {
    /// Makes `branch` and HEAD, the index and every file what they were when `to` was taken; a merge
    /// or rebase in progress ends. `excluded` as for the checkpoint.
    ///
    /// The caller has kept what is thrown away; see `discarded`. If the branch is gone, nothing may be
    /// in the way of its name; see `make_way`. After a kill, see `remove_abandoned_locks`.
    pub fn roll_back(
        &self,
        branch: &str,
        to: &Checkpoint,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<RolledBack, VcsError> {
        self.roll_back_and(NewIgnored::Removed, branch, to, excluded, deadline)
    }

    /// The same, and what becomes of new files that git ignores.
    pub fn roll_back_and(
        &self,
        new_ignored: NewIgnored,
        branch: &str,
        to: &Checkpoint,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<RolledBack, VcsError> {
        crate::refuse_invalid_branch(branch)?;
        let target = Target::read(self, to, deadline)?;
        if let Some(operation) = self.operation() {
            self.quit_operation(operation, deadline)?;
        }
        self.return_branch(branch, to, deadline)?;
        self.watch_again(to, deadline)?;
        let found = self.inventory(&After { target: &target, excluded: &excluded })?;
        let unknown: Vec<&Found> = found.iter().filter(|found| target.is_unknown(found)).collect();
        let changed = self.index_as_in(&target, &found, deadline)?;
        let mut rolled = RolledBack::default();
        let moved_out = self.move_out(self.moved_away(&target, &found));
        let mut unknown = moved_out.without(&unknown);
        if new_ignored == NewIgnored::Left {
            self.leave_ignored(&mut unknown, &mut rolled, deadline)?;
        }
        self.remove_unknown(&unknown, &mut rolled);
        let returned = self.move_back(moved_out, &mut rolled);
        let written = self.write_files(&target, &mut rolled, deadline)?;
        // What is only in the index of now was removed.
        let changed = changed.into_iter().filter(|path| target.files.contains_key(path));
        let restored: BTreeSet<RepoPath> = changed.chain(written).chain(returned).collect();
        rolled.restored = restored.iter().map(|path| self.given(path)).collect();
        self.stage_again(&target, deadline)?;
        for folder in to.ignored.folders.iter().chain(&target.known.submodules) {
            // Where something could not be removed, that was told.
            let _ = fs::create_dir_all(on_disk(&self.top, folder));
        }
        rolled.left.extend(self.give_modes_back(&target, deadline)?);
        rolled.left.extend(self.not_as_before(&target, deadline)?);
        rolled.left.sort();
        Ok(rolled)
    }

    fn return_branch(
        &self,
        branch: &str,
        to: &Checkpoint,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let name = format!("refs/heads/{branch}");
        let reason = ["-m", "ralph: roll back"];
        let call = GitCall::write(self, "update-ref").args(reason);
        // A branch that is only another name for one is made a branch again.
        call.args(["--no-deref", &name, to.head.as_str()]).output(deadline)?;
        let call = GitCall::write(self, "symbolic-ref").args(reason);
        call.args(["HEAD", &name]).output(deadline).map(drop)
    }

    fn watch_again(&self, to: &Checkpoint, deadline: Instant) -> Result<(), VcsError> {
        let mut unwatched = self.unwatched(deadline)?;
        unwatched.retain(|path| !to.unwatched.holds(path));
        if unwatched.is_empty() { Ok(()) } else { self.watch(&unwatched, deadline) }
    }

    /// Makes the index hold the files as they are to be on disk. Of what differed or was touched since,
    /// it knows nothing of the disk then, so that git writes it. Returns what differed.
    fn index_as_in(
        &self,
        target: &Target<'_>,
        found: &[Found],
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        let args = ["--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none"];
        let call = GitCall::read(self, "diff-index").args(args).args([&target.files_at]);
        let changed = names(&call.output(deadline)?);
        let touched = found.iter().filter(|found| target.is_touched(found));
        let touched = touched.map(|found| RepoPath(found.name.clone()));
        let fed = changed.iter().cloned().chain(touched).collect();
        self.put_into_index(&target.files, &fed, target, deadline)?;
        Ok(changed)
    }

    /// Makes each name in the index what `entries` has, and git look away where it did before.
    fn put_into_index(
        &self,
        entries: &BTreeMap<RepoPath, Entry>,
        wanted: &BTreeSet<RepoPath>,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let mut info = IndexInfo::like(target.to.head.as_str());
        // What goes makes room for what comes.
        for name in wanted.iter().filter(|name| !entries.contains_key(*name)) {
            info.remove(name);
        }
        for (name, entry) in wanted.iter().filter_map(|name| entries.get_key_value(name)) {
            info.put(name, entry);
        }
        self.feed(&info, deadline)?;
        let before = &target.to.unwatched;
        if before.skipped.is_empty() && before.assumed.is_empty() {
            return Ok(());
        }
        let now = self.unwatched_marks(deadline)?;
        let lost = |before: &BTreeSet<String>, now: &BTreeSet<String>| -> Vec<RepoPath> {
            let lost = before.difference(now).cloned().map(RepoPath);
            lost.filter(|path| entries.contains_key(path)).collect()
        };
        self.look_away_again(&lost(&before.skipped, &now.skipped), deadline)?;
        self.mark("--assume-unchanged", &lost(&before.assumed, &now.assumed), deadline)
    }

    fn stage_again(&self, target: &Target<'_>, deadline: Instant) -> Result<(), VcsError> {
        let Some(staged) = &target.staged else { return Ok(()) };
        let gone = target.files.keys().filter(|name| !staged.contains_key(*name));
        let other = staged.iter().filter(|(name, entry)| target.files.get(*name) != Some(entry));
        let differing = gone.chain(other.map(|(name, _)| name)).cloned().collect();
        self.put_into_index(staged, &differing, target, deadline)
    }

    /// Somebody else may have made them: they are in no backup, so they stay and are told.
    fn leave_ignored(
        &self,
        unknown: &mut Vec<&Found>,
        rolled: &mut RolledBack,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let files = unknown.iter().filter(|found| found.kind == FoundKind::File);
        let paths: Vec<RepoPath> = files.map(|found| RepoPath(found.name.clone())).collect();
        let ignored = self.ignored_by_name(&paths, deadline)?;
        let is_ignored = |found: &&Found| ignored.contains(&RepoPath(found.name.clone()));
        for found in unknown.iter().filter(|found| is_ignored(found)) {
            let path = self.prefix.relative_text(&found.name);
            rolled.left.push(Left { path, why: WhyLeft::MayBeOthers });
        }
        unknown.retain(|found| !is_ignored(found));
        Ok(())
    }

    fn remove_unknown(&self, unknown: &[&Found], rolled: &mut RolledBack) {
        let stayed = remove_all(unknown);
        let staying: HashSet<&str> = stayed.iter().map(|(found, _)| found.name.as_str()).collect();
        let gone = unknown.iter().filter(|found| !staying.contains(found.name.as_str()));
        let gone: Vec<&Found> = gone.copied().collect();
        let files = gone.iter().filter(|found| found.kind == FoundKind::File);
        rolled.removed_files = files.count() as u64;
        rolled.removed = self.topmost(gone);
        for (found, error) in stayed {
            let holds_others = error.kind() == ErrorKind::DirectoryNotEmpty;
            if !holds_others || found.kind == FoundKind::Closed {
                let path = self.prefix.relative_text(&found.name);
                let why = WhyLeft::CannotRemove(error.to_string());
                rolled.left.push(Left { path, why });
            }
        }
    }

    /// Without what lies in a folder that is named itself.
    fn topmost(&self, all: Vec<&Found>) -> Vec<String> {
        let is_folder = |found: &&&Found| found.kind != FoundKind::File;
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
