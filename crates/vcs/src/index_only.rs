//! Index and history put right, while the work tree keeps what it has.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::index::{IndexInfo, ScratchIndex};
use crate::new_commit::NewCommit;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

impl WorkTree {
    /// Makes each path in the index what it was in `from`, submodules too. The work tree stays.
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

    /// Commits each path as it was in `from`, whatever the work tree has, and puts it into the index
    /// like that. None if it is so in the latest commit already.
    ///
    /// Everything else that was staged stays staged. Refused while a merge, rebase, cherry-pick or
    /// revert is in progress.
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
        // As for every commit: the index first, or it would look as if the opposite were staged.
        self.feed(&info, deadline)?;
        scratch.feed(self, &info, deadline)?;
        let tree = scratch.write_tree(self, deadline)?;
        if tree == before {
            return Ok(None);
        }
        let commit = NewCommit { tree: &tree, parents: head.iter().collect(), message };
        self.advance(head.as_ref(), &commit, deadline).map(Some)
    }

    /// HEAD names this branch from now on, which is there; index and work tree stay.
    pub fn name_branch(&self, name: &str, deadline: Instant) -> Result<(), VcsError> {
        crate::refuse_invalid_branch(name)?;
        let args = ["-m", "ralph: back on the branch", "HEAD", &format!("refs/heads/{name}")];
        GitCall::write(self, "symbolic-ref").args(args).output(deadline).map(drop)
    }

    /// HEAD is on `branch` and at `commit`, and so is the index: whatever was committed since is not part of
    /// the branch any more. The work tree stays.
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
        // It may name objects that cannot be read either.
        let index = self.git_dir.join("index");
        match std::fs::remove_file(&index) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(VcsError::Disk { path: index, error });
            }
            _ => {}
        }
        let call = || Ok(GitCall::write(self, "read-tree").args([commit.as_str()]));
        self.change_index(deadline, call)?.well("read-tree")
    }

    fn as_in(
        &self,
        from: &CommitId,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<IndexInfo, VcsError> {
        let entries = self.entries(from.as_str(), deadline)?;
        let mut info = IndexInfo::like(self.resolve(from, deadline)?.as_str());
        // What goes makes room for what comes.
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
