//! Records and restores file permissions, of which git stores only the executable bit.
//!
//! Otherwise a private file would become readable for others after a rollback. The modes of files
//! outside git are in their stamps.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use crate::entry::Entry;
use crate::inventory::{InventoryItem, ItemKind};
use crate::repo_path::{OnDisk, RepoPath};
use crate::stamp::mode;
use crate::target::Target;
use crate::{NotRestored, NotRestoredReason, UnwatchedFiles, VcsError, WorkTree};

impl WorkTree {
    /// The mode of each file for which git would set another one.
    pub(crate) fn modes_beyond_git(
        &self,
        found: &[InventoryItem],
        entries: &BTreeMap<RepoPath, Entry>,
        unwatched: &UnwatchedFiles,
    ) -> Result<BTreeMap<String, u32>, VcsError> {
        let Some(executable) = self.mode_of_new_executable()? else { return Ok(BTreeMap::new()) };
        let files = found.iter().filter(|found| found.kind == ItemKind::File);
        let kept = files.filter(|found| !unwatched.holds(&found.name));
        let modes = kept.filter_map(|found| {
            let mode_by_git = match entries.get(&RepoPath(found.name.clone()))? {
                Entry::File(_) => executable & 0o666,
                Entry::Executable(_) => executable,
                Entry::Link(_) | Entry::Submodule(_) => return None,
            };
            let now = fs::symlink_metadata(&found.place).ok().filter(fs::Metadata::is_file)?;
            let mode = mode(&now);
            (mode != mode_by_git).then(|| (found.name.clone(), mode))
        });
        Ok(modes.collect())
    }

    /// The mode git gives an executable file. `None` on systems without modes.
    #[cfg(unix)]
    fn mode_of_new_executable(&self) -> Result<Option<u32>, VcsError> {
        use std::os::unix::fs::PermissionsExt;
        let all = fs::Permissions::from_mode(0o777);
        let file = tempfile::Builder::new().permissions(all).tempfile_in(&self.git_dir);
        let found = file.and_then(|file| file.as_file().metadata());
        found.map(|found| Some(mode(&found))).map_err(VcsError::NoTemporaryFile)
    }

    #[cfg(not(unix))]
    fn mode_of_new_executable(&self) -> Result<Option<u32>, VcsError> {
        Ok(None)
    }

    /// Returns the files whose mode could not be restored.
    pub(crate) fn restore_modes(
        &self,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<Vec<NotRestored>, VcsError> {
        let modes = &target.to.modes;
        let mut left = Vec::new();
        for (name, mode) in modes {
            let path = RepoPath(name.clone());
            // Does not follow links. A missing file is reported elsewhere.
            let is_file = self.look(&path).is_ok_and(|found| found == OnDisk::File);
            if is_file && !self.set_mode(&path, *mode) {
                left.push(NotRestored {
                    path: self.project_path(&path),
                    why: NotRestoredReason::CannotRestore,
                });
            }
        }
        if !modes.is_empty() {
            // It fails if some files differ, which is no error here.
            let flags = ["-q", "--refresh"];
            self.change_index(deadline, || {
                Ok(target.git(self, "update-index").writing().args(flags))
            })?;
        }
        Ok(left)
    }

    /// Whether the file has the mode now.
    #[cfg(unix)]
    fn set_mode(&self, path: &RepoPath, wanted: u32) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let place = self.place(path);
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_file() && mode(&found) != wanted => {
                fs::set_permissions(place, fs::Permissions::from_mode(wanted)).is_ok()
            }
            _ => true,
        }
    }

    #[cfg(not(unix))]
    fn set_mode(&self, _path: &RepoPath, _wanted: u32) -> bool {
        true
    }
}
