//! Lets git write files from the index to the work tree, and records and restores their permissions,
//! of which git stores only the executable bit.
//!
//! Otherwise a private file would become readable for others after a rollback. The modes of files
//! outside git are in their stamps.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use crate::attributes::is_attributes;
use crate::git_call::zero_ended;
use crate::inventory::{InventoryItem, ItemKind, open_up};
use crate::repo_path::{Entries, OnDisk, RepoPath};
use crate::stamp::{mode, set_mode};
use crate::target::Target;
use crate::tree_object::EntryMode;
use crate::{NotRestoredReason, Result, RolledBack, UnwatchedFiles, VcsError, WorkTree};

/// Enough to isolate dozens of unwritable files among thousands.
const MOST_ATTEMPTS: usize = 1000;

impl Target<'_> {
    /// Returns the written files.
    pub(crate) fn write_files(&self, rolled: &mut RolledBack) -> Result<Vec<RepoPath>> {
        let written = self.stat_dirty()?;
        self.open_folders(&written);
        // git applies `.gitattributes` when it writes the other files.
        let is_first = |path: &&RepoPath| is_attributes(path);
        let (attributes, others): (Vec<_>, Vec<_>) = written.iter().partition(is_first);
        for batch in [attributes, others] {
            self.check_out(&batch)?;
        }
        if !written.is_empty() {
            let cannot =
                |path: &RepoPath| self.tree.not_restored(&path.0, NotRestoredReason::CannotRestore);
            rolled.left.extend(self.stat_dirty()?.iter().map(cannot));
        }
        Ok(written)
    }

    /// An unwritable file makes git skip others, so they are retried without it. Unwritten files
    /// stay different from the index.
    fn check_out(&self, names: &[&RepoPath]) -> Result<()> {
        let flags = ["--force", "--index", "--quiet", "-z", "--stdin"];
        let mut waiting = VecDeque::from([names]);
        let mut attempts = 0;
        while let Some(batch) = waiting.pop_front() {
            if batch.is_empty() {
                continue;
            }
            let input = zero_ended(batch.iter().copied());
            let call = || self.git("checkout-index").writing().args(flags).input(&input);
            let answer = self.tree.change_index(self.deadline, call)?;
            attempts += 1;
            if !answer.status.success() && batch.len() > 1 && attempts < MOST_ATTEMPTS {
                let (first, second) = batch.split_at(batch.len() / 2);
                waiting.extend([first, second]);
            }
        }
        Ok(())
    }

    fn open_folders(&self, paths: &[RepoPath]) {
        // A folder sorts before its contents.
        let folders: BTreeSet<RepoPath> = paths.iter().flat_map(RepoPath::above).collect();
        for folder in folders {
            open_up(&self.tree.place(&folder));
        }
    }

    /// Watched files whose stat data does not match the index.
    fn stat_dirty(&self) -> Result<Vec<RepoPath>> {
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all"];
        let mut dirty: Vec<RepoPath> = self.git("diff-files").args(args).names(self.deadline)?;
        dirty.retain(|path| !self.to.unwatched.holds(&path.0));
        Ok(dirty)
    }

    /// Reports the files whose mode could not be restored.
    pub(crate) fn restore_modes(&self, rolled: &mut RolledBack) -> Result<()> {
        let (tree, modes) = (self.tree, &self.to.modes);
        for (name, mode) in modes {
            let path = RepoPath(name.clone());
            // Does not follow links. A missing file is reported elsewhere.
            let is_file = tree.look(&path).is_ok_and(|found| found == OnDisk::File);
            if is_file && !has_mode(&tree.place(&path), *mode) {
                rolled.left.push(tree.not_restored(name, NotRestoredReason::CannotRestore));
            }
        }
        if !modes.is_empty() {
            // It fails if some files differ, which is no error here.
            let call = || Ok(self.git("update-index").writing().args(["-q", "--refresh"]));
            tree.change_index(self.deadline, call)?;
        }
        Ok(())
    }
}

/// Whether the file has the mode now.
fn has_mode(place: &Path, wanted: u32) -> bool {
    let found = fs::symlink_metadata(place).ok().filter(fs::Metadata::is_file);
    found.is_none_or(|found| mode(&found) == wanted || set_mode(place, wanted).is_ok())
}

impl WorkTree {
    /// The mode of each file for which git would set another one.
    pub(crate) fn modes_beyond_git(
        &self,
        found: &[InventoryItem],
        entries: &Entries,
        unwatched: &UnwatchedFiles,
    ) -> Result<BTreeMap<String, u32>> {
        let Some(executable) = self.mode_of_new_executable()? else { return Ok(BTreeMap::new()) };
        let files = found.iter().filter(|found| found.kind == ItemKind::File);
        let kept = files.filter(|found| !unwatched.holds(&found.name));
        let modes = kept.filter_map(|found| {
            let mode_by_git = match entries.get(&RepoPath(found.name.clone()))?.mode {
                EntryMode::File => executable & 0o666,
                EntryMode::Executable => executable,
                _ => return None,
            };
            let now = fs::symlink_metadata(&found.place).ok().filter(fs::Metadata::is_file)?;
            let mode = mode(&now);
            (mode != mode_by_git).then(|| (found.name.clone(), mode))
        });
        Ok(modes.collect())
    }

    /// The mode git gives an executable file. `None` on systems without modes.
    #[cfg(unix)]
    fn mode_of_new_executable(&self) -> Result<Option<u32>> {
        use std::os::unix::fs::PermissionsExt;
        let all = fs::Permissions::from_mode(0o777);
        let file = tempfile::Builder::new().permissions(all).tempfile_in(&self.git_dir);
        let found = file.and_then(|file| file.as_file().metadata());
        found.map(|found| Some(mode(&found))).map_err(VcsError::NoTemporaryFile)
    }

    #[cfg(not(unix))]
    fn mode_of_new_executable(&self) -> Result<Option<u32>> {
        Ok(None)
    }
}
