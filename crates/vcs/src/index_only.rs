//! Restores index and history without touching the work tree.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::index::{IndexInfo, ScratchIndex};
use crate::new_commit::NewCommit;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

impl WorkTree {
    /// Resets each path in the index to `from`, submodules included. The work tree stays.
    pub fn reset_index<S: AsRef<str>>(
        &self,
        from: &CommitId,
        paths: &[S],
        deadline: Instant,
    ) -> Result<(), VcsError> {
        if paths.is_empty() {
            return Ok(());
        }
        let info = self.as_in(from, &self.locate(paths)?, deadline)?;
        self.feed(&info, deadline)
    }

    /// Commits each path as in `from`, regardless of the work tree, and stages it so. `None` if
    /// HEAD already has that state.
    ///
    /// Other staged changes stay staged. Refused during a merge, rebase, cherry-pick or revert.
    pub fn commit_as_in<S: AsRef<str>>(
        &self,
        from: &CommitId,
        paths: &[S],
        message: &str,
        deadline: Instant,
    ) -> Result<Option<CommitId>, VcsError> {
        if paths.is_empty() {
            return Ok(None);
        }
        self.refuse_during_operation()?;
        let info = self.as_in(from, &self.locate(paths)?, deadline)?;
        let head = self.head(deadline)?;
        let scratch = ScratchIndex::new(self, head.as_ref(), deadline)?;
        let before = scratch.write_tree(self, deadline)?;
        // The index first, as in `commit_paths`.
        self.feed(&info, deadline)?;
        scratch.feed(self, &info, deadline)?;
        let tree = scratch.write_tree(self, deadline)?;
        if tree == before {
            return Ok(None);
        }
        let commit = NewCommit { tree: &tree, parents: head.iter().collect(), message };
        self.advance(head.as_ref(), &commit, deadline).map(Some)
    }

    /// Points HEAD to an existing branch; index and work tree stay.
    pub fn name_branch(&self, name: &str, deadline: Instant) -> Result<(), VcsError> {
        crate::refuse_invalid_branch(name)?;
        let args = ["-m", "ralph: back on the branch", "HEAD", &format!("refs/heads/{name}")];
        GitCall::write(self, "symbolic-ref").args(args).output(deadline).map(drop)
    }

    /// Sets HEAD to `branch` at `commit` and resets the index. Later commits leave the branch. The
    /// work tree stays.
    pub fn abandon_commits(
        &self,
        branch: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        crate::refuse_invalid_branch(branch)?;
        let reference = format!("refs/heads/{branch}");
        let args =
            ["-m", "ralph: without commits that cannot be read", &reference, commit.as_str()];
        GitCall::write(self, "update-ref").args(args).output(deadline)?;
        self.name_branch(branch, deadline)?;
        // It may name unreadable objects, too.
        let index = self.git_dir.join("index");
        match std::fs::remove_file(&index) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(VcsError::Disk { path: index, error });
            }
            _ => {}
        }
        let call = || Ok(GitCall::write(self, "read-tree").args([commit.as_str()]));
        self.change_index(deadline, call)?.check("read-tree")
    }

    fn as_in(
        &self,
        from: &CommitId,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<IndexInfo, VcsError> {
        let entries = self.entries(from.as_str(), deadline)?;
        let mut info = IndexInfo::like(self.resolve(from, deadline)?.as_str());
        // Removals first, so that new entries can take their place.
        let (present, gone): (Vec<_>, Vec<_>) =
            paths.iter().partition(|path| entries.contains_key(path));
        for path in gone {
            info.remove(path);
        }
        for path in present {
            if let Some(entry) = entries.get(path) {
                info.put(path, entry);
            }
        }
        Ok(info)
    }
}
