//! Moves the checked-out branch to another commit and updates the files.

use std::collections::HashSet;
use std::ffi::OsString;
use std::time::Instant;

use crate::adoption::Adoption;
use crate::attributes_changed::is_attributes;
use crate::git_call::GitCall;
use crate::path_text::os_string;
use crate::repo_path::{OnDisk, RepoPath};
use crate::staged_files::StagedFiles;
use crate::{CommitId, VcsError, WorkTree};

impl WorkTree {
    /// Makes `commit` the tip of the checked-out branch, whether it descends from HEAD or not.
    /// Every path that differs gets the state of `commit` in index and work tree.
    ///
    /// No user data is lost. `keep` (whole folders end in a slash) and files that match neither
    /// HEAD nor `commit` stay on disk; the latter are returned, with the submodules. The index gets
    /// their state of `commit`, so git shows them as changed. Staged changes stay staged. A missing
    /// tracked file is restored. A file that git ignores once it is untracked stays on disk. Where
    /// a `.gitattributes` differs, unchanged files are written again with the new line endings.
    ///
    /// The order is files, index, branch, so it can be repeated after a crash. The branch is not
    /// moved if it changed meanwhile. Refused without a branch, and during a merge, rebase,
    /// cherry-pick or revert.
    pub fn adopt<S: AsRef<str>>(
        &self,
        commit: &CommitId,
        keep: &[S],
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
        self.refuse_during_operation()?;
        let keep = self.path_set(keep)?;
        let (branch, head) = self.branch_and_head(deadline)?;
        let commit = self.resolve(commit, deadline)?;
        if head == commit {
            return Ok(Vec::new());
        }
        let differences = self.differences(&head, &commit, deadline)?;
        let mut adoption = Adoption::plan(self, &head, &differences, &keep, deadline)?;
        let rewritten = self.written_otherwise(&head, &commit, &differences, deadline)?;
        adoption.written.extend(rewritten.into_iter().filter(|path| !keep.holds(&path.0)));
        self.change_files(&commit, &mut adoption, deadline)?;
        self.feed(&adoption.index, deadline)?;
        self.restore_skip_flags(&adoption.hidden, deadline)?;
        // Exit code 1 means that some files are dirty, which is fine here.
        let refresh = || Ok(GitCall::write(self, "update-index").args(["-q", "--refresh"]));
        self.change_index(deadline, refresh)?;
        let call = GitCall::write(self, "update-ref").args(["-m", "ralph: adopt"]).args([branch]);
        call.args([commit.as_str(), head.as_str()]).output(deadline)?;
        adoption.left.sort();
        Ok(adoption.left.iter().map(|path| self.project_path(path)).collect())
    }

    fn branch_and_head(&self, deadline: Instant) -> Result<(OsString, CommitId), VcsError> {
        let call = GitCall::read(self, "symbolic-ref").args(["--quiet", "HEAD"]);
        let branch = call.output_if_yes(deadline)?.ok_or(VcsError::NoBranch)?;
        let branch = os_string(branch.trim_ascii_end());
        let head = self.head(deadline)?.ok_or(VcsError::NoBranch)?;
        Ok((branch, head))
    }

    fn change_files(
        &self,
        commit: &CommitId,
        adoption: &mut Adoption,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let ignored = self.ignored_by_name(&adoption.removed, deadline)?;
        // Removals first, so that new files can take their place.
        for path in adoption.removed.iter().filter(|path| !ignored.contains(path)) {
            self.remove(path)?;
        }
        for path in &adoption.emptied {
            // Fails if the folder is not empty, as intended.
            let _ = std::fs::remove_dir(self.place(path));
        }
        // git applies `.gitattributes` when it writes the other files.
        let (attributes, others): (Vec<_>, Vec<_>) =
            adoption.written.drain(..).partition(is_attributes);
        for paths in [attributes, others] {
            let staged = StagedFiles::of(self, commit, &paths, deadline)?;
            for path in paths {
                if !(self.can_be_written(&path)? && staged.put(self, &path)?) {
                    adoption.left.push(path);
                }
            }
        }
        for path in &adoption.submodules {
            if self.obstacle(path)?.is_none() && self.look(path)? == OnDisk::Absent {
                // git leaves an empty folder for a submodule that is not initialized.
                let place = self.place(path);
                let made = std::fs::create_dir_all(&place);
                made.map_err(|error| VcsError::Disk { path: place, error })?;
            }
        }
        self.remove_unless_ignored(ignored, deadline)
    }

    /// The ignore files are those of the new commit at this point.
    fn remove_unless_ignored(
        &self,
        paths: HashSet<RepoPath>,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let mut present = Vec::new();
        for path in paths {
            if self.look(&path)? == OnDisk::File {
                present.push(path);
            }
        }
        let ignored = self.ignored_by_name(&present, deadline)?;
        present.iter().filter(|path| !ignored.contains(path)).try_for_each(|path| self.remove(path))
    }

    /// Whether writing a file at `path` loses nothing.
    fn can_be_written(&self, path: &RepoPath) -> Result<bool, VcsError> {
        if self.obstacle(path)?.is_some() {
            return Ok(false);
        }
        Ok(match self.look(path)? {
            OnDisk::Absent | OnDisk::File => true,
            OnDisk::Folder => std::fs::remove_dir(self.place(path)).is_ok(),
            OnDisk::Special | OnDisk::Repository | OnDisk::InsideRepository => false,
        })
    }

    /// Sets skip-worktree again, which new index entries lack.
    pub(crate) fn restore_skip_flags(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<(), VcsError> {
        self.set_flag("--skip-worktree", paths, deadline)
    }
}
