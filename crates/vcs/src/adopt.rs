//! Moves the checked-out branch to another commit and updates the files. They are written to a
//! temporary folder and renamed into place, so that a crash never leaves a partial file.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;
use std::{fs, io};

use crate::adoption::Adoption;
use crate::attributes::is_attributes;
use crate::git_call::{GitCall, zero_ended};
use crate::index::Index;
use crate::path_text::{on_disk, os_string};
use crate::repo_path::{OnDisk, RepoPath};
use crate::vcs_error::disk;
use crate::{CommitId, Result, VcsError, WorkTree};

/// Files to be moved into the work tree.
#[derive(Debug)]
struct StagedFiles(tempfile::TempDir);

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
    ) -> Result<Vec<String>> {
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
        self.index().feed(&adoption.index, deadline)?;
        // New index entries lack the flag.
        self.index().mark(&["--skip-worktree"], &adoption.hidden, deadline)?;
        // Exit code 1 means that some files are dirty, which is fine here.
        let refresh = || Ok(GitCall::write(self, "update-index").args(["-q", "--refresh"]));
        self.change_index(deadline, refresh)?;
        let call = GitCall::write(self, "update-ref").args(["-m", "ralph: adopt"]).args([branch]);
        call.args([commit.as_str(), head.as_str()]).output(deadline)?;
        adoption.left.sort();
        Ok(adoption.left.iter().map(|path| self.project_path(path)).collect())
    }

    fn branch_and_head(&self, deadline: Instant) -> Result<(OsString, CommitId)> {
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
    ) -> Result<()> {
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
        for paths in [attributes, others].into_iter().filter(|paths| !paths.is_empty()) {
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
                std::fs::create_dir_all(&place).map_err(disk(&place))?;
            }
        }
        self.remove_unless_ignored(ignored, deadline)
    }

    /// The ignore files are those of the new commit at this point.
    fn remove_unless_ignored(&self, paths: HashSet<RepoPath>, deadline: Instant) -> Result<()> {
        let present = self.only_files(paths)?;
        let ignored = self.ignored_by_name(&present, deadline)?;
        present.iter().filter(|path| !ignored.contains(path)).try_for_each(|path| self.remove(path))
    }

    /// Whether writing a file at `path` loses nothing.
    fn can_be_written(&self, path: &RepoPath) -> Result<bool> {
        if self.obstacle(path)?.is_some() {
            return Ok(false);
        }
        Ok(match self.look(path)? {
            OnDisk::Absent | OnDisk::File => true,
            OnDisk::Folder => std::fs::remove_dir(self.place(path)).is_ok(),
            OnDisk::Special | OnDisk::Repository | OnDisk::InsideRepository => false,
        })
    }

    /// A folder on the same file system: git's own, or else the top of the work tree.
    fn near(&self) -> PathBuf {
        let git_dir = &self.git_dir;
        if are_on_one_disk(git_dir, &self.top) { git_dir.clone() } else { self.top.clone() }
    }
}

impl StagedFiles {
    /// `paths` are files or links of `commit`.
    fn of(
        tree: &WorkTree,
        commit: &CommitId,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("ralph-files-").tempdir_in(tree.near());
        let folder = folder.map_err(VcsError::NoTemporaryFile)?;
        // git ignores the folder if a crash leaves it in the work tree.
        fs::write(folder.path().join(".gitignore"), "*\n").map_err(VcsError::NoTemporaryFile)?;
        let mut prefix = OsString::from("--prefix=");
        prefix.push(folder.path().join("files"));
        prefix.push("/");
        let index = Index::with(tree, Some(commit.as_str()), deadline)?;
        let names = zero_ended(paths);
        let call = GitCall::write(tree, "checkout-index").args([prefix]);
        index.apply(call.args(["-z", "--stdin"]).input(&names)?).output(deadline)?;
        Ok(Self(folder))
    }

    /// Moves the file into the work tree, replacing a file or link, which is not followed. Skipped
    /// if something else is there.
    fn put(&self, tree: &WorkTree, path: &RepoPath) -> Result<bool> {
        let place = tree.place(path);
        let disk = disk(&place);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(&disk)?;
        }
        match fs::rename(on_disk(&self.0.path().join("files"), &path.0), &place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => Ok(false),
            Err(error) => Err(disk(error)),
        }
    }
}

#[cfg(unix)]
fn are_on_one_disk(one: &std::path::Path, other: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path| fs::metadata(path).map(|found| found.dev()).ok();
    device(one).is_some_and(|found| device(other) == Some(found))
}

#[cfg(not(unix))]
fn are_on_one_disk(_one: &std::path::Path, _other: &std::path::Path) -> bool {
    true
}
