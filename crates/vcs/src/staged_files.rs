//! Writes files of a commit to a temporary folder and renames them into place, so that a crash
//! never leaves a partial file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;
use std::{fs, io};

use crate::git_call::{GitCall, zero_ended};
use crate::index::ScratchIndex;
use crate::path_text::on_disk;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

#[derive(Debug)]
pub(crate) struct StagedFiles {
    /// `None` if there are no files.
    folder: Option<tempfile::TempDir>,
}

impl StagedFiles {
    /// `paths` are files or links of `commit`.
    pub(crate) fn of(
        tree: &WorkTree,
        commit: &CommitId,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<Self, VcsError> {
        if paths.is_empty() {
            return Ok(Self { folder: None });
        }
        let folder = tempfile::Builder::new().prefix("ralph-files-").tempdir_in(tree.near());
        let folder = folder.map_err(VcsError::NoTemporaryFile)?;
        // git ignores the folder if a crash leaves it in the work tree.
        fs::write(folder.path().join(".gitignore"), "*\n").map_err(VcsError::NoTemporaryFile)?;
        let mut prefix = OsString::from("--prefix=");
        prefix.push(folder.path().join("files"));
        prefix.push("/");
        let scratch = ScratchIndex::new(tree, Some(commit), deadline)?;
        let names = zero_ended(paths);
        let call = GitCall::write(tree, "checkout-index").args([prefix]);
        scratch.apply(call.args(["-z", "--stdin"]).input(&names)?).output(deadline)?;
        Ok(Self { folder: Some(folder) })
    }

    /// Moves the file into the work tree, replacing a file or link, which is not followed. Skipped
    /// if something else is there.
    pub(crate) fn put(&self, tree: &WorkTree, path: &RepoPath) -> Result<bool, VcsError> {
        let Some(folder) = &self.folder else { return Ok(false) };
        let place = tree.place(path);
        let disk = |error| VcsError::Disk { path: place.clone(), error };
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(disk)?;
        }
        match fs::rename(on_disk(&folder.path().join("files"), &path.0), &place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => Ok(false),
            Err(error) => Err(disk(error)),
        }
    }
}

impl WorkTree {
    /// A folder on the same file system: git's own, or else the top of the work tree.
    fn near(&self) -> PathBuf {
        let git_dir = &self.git_dir;
        if are_on_one_disk(git_dir, &self.top) { git_dir.clone() } else { self.top.clone() }
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
