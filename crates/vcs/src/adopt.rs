//! Another commit as the tip of the branch that is checked out, with its files.

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
    /// Makes `commit` the tip of the branch that HEAD is on, whether it comes from HEAD or not.
    /// Every path that differs between the two becomes what `commit` has, in index and work tree.
    ///
    /// Nothing of somebody's own is lost: `keep` (with a slash at the end, whole folders) is not
    /// touched on disk, nor is whatever else is neither HEAD's nor `commit`'s, which is returned
    /// together with the submodules, whose files stay as they are. For both, the index gets what
    /// `commit` has, so that git shows them as changed; but what was staged stays staged. A tracked
    /// file that is missing comes back. One that git ignores once it is not tracked any more stays on
    /// disk: it may have been there before anybody tracked it. Where a `.gitattributes` differs, files
    /// that were as HEAD has them are written again, with the line endings they have from then on.
    ///
    /// Files first, then the index, then the branch, unless it has moved meanwhile: after a crash it
    /// can be done again. Refused on no branch, and while a merge, rebase, cherry-pick or revert is
    /// in progress.
    pub fn adopt<S: AsRef<str>>(
        &self,
        commit: &CommitId,
        keep: &[S],
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
        self.refuse_during_operation()?;
        let keep = self.named(keep)?;
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
        self.look_away_again(&adoption.hidden, deadline)?;
        // It ends with 1 if something is dirty, which is none of its business.
        let refresh = || Ok(GitCall::write(self, "update-index").args(["-q", "--refresh"]));
        self.change_index(deadline, refresh)?;
        let call = GitCall::write(self, "update-ref").args(["-m", "ralph: adopt"]).args([branch]);
        call.args([commit.as_str(), head.as_str()]).output(deadline)?;
        adoption.left.sort();
        Ok(adoption.left.iter().map(|path| self.given(path)).collect())
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
        // What goes makes room for what comes.
        for path in adoption.removed.iter().filter(|path| !ignored.contains(path)) {
            self.remove(path)?;
        }
        for path in &adoption.emptied {
            // As far as nothing is in it.
            let _ = std::fs::remove_dir(self.place(path));
        }
        // By these, git decides how the others are written.
        let (attributes, others): (Vec<_>, Vec<_>) =
            adoption.written.drain(..).partition(is_attributes);
        for paths in [attributes, others] {
            let staged = StagedFiles::of(self, commit, &paths, deadline)?;
            for path in paths {
                if !(self.makes_room(&path)? && staged.put(self, &path)?) {
                    adoption.left.push(path);
                }
            }
        }
        for path in &adoption.submodules {
            if self.obstacle(path)?.is_none() && self.look(path)? == OnDisk::Absent {
                // Empty, as git leaves the folder of a submodule that nobody asked for.
                let place = self.place(path);
                let made = std::fs::create_dir_all(&place);
                made.map_err(|error| VcsError::Disk { path: place, error })?;
            }
        }
        self.remove_unless_ignored(ignored, deadline)
    }

    /// By now the ignore files are those of the new commit.
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

    /// Whether a file can be put there without anything being lost.
    fn makes_room(&self, path: &RepoPath) -> Result<bool, VcsError> {
        if self.obstacle(path)?.is_some() {
            return Ok(false);
        }
        Ok(match self.look(path)? {
            OnDisk::Absent | OnDisk::File => true,
            OnDisk::Folder => std::fs::remove_dir(self.place(path)).is_ok(),
            OnDisk::Special | OnDisk::Repository | OnDisk::InsideRepository => false,
        })
    }

    /// New entries have lost the mark that they are not checked out.
    pub(crate) fn look_away_again(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<(), VcsError> {
        self.mark("--skip-worktree", paths, deadline)
    }
}
