//! Commits of exactly the paths that were named.

use std::time::Instant;

use crate::index::{ScratchIndex, Staging};
use crate::new_commit::NewCommit;
use crate::repo_path::OnDisk;
use crate::{CommitId, TreeId, VcsError, WorkTree};

impl WorkTree {
    /// Commits these paths as the work tree has them, added, changed and deleted alike. None if
    /// they are in the latest commit like that already.
    ///
    /// Everything else that was staged stays staged and out of the commit. A path that is ignored
    /// and not tracked is left out, as `git add` would; so are a folder, whose files have names of
    /// their own, and what git cannot keep: a pipe, a repository that is not a submodule. Refused
    /// while a merge, rebase, cherry-pick or revert is in progress.
    pub fn commit_paths<S: AsRef<str>>(
        &self,
        paths: &[S],
        message: &str,
        deadline: Instant,
    ) -> Result<Option<CommitId>, VcsError> {
        self.refuse_during_operation()?;
        if paths.is_empty() {
            return Ok(None);
        }
        let staging = self.staging(paths, deadline)?;
        let head = self.head(deadline)?;
        let scratch = ScratchIndex::new(self, head.as_ref(), deadline)?;
        let before = match &head {
            Some(head) => self.tree_id(head, deadline)?,
            None => scratch.write_tree(self, deadline)?,
        };
        // The user's index comes first: after a commit that it does not know of, it would look as
        // if somebody had staged the opposite.
        self.stage(&staging, deadline)?;
        scratch.stage(self, &staging, deadline)?;
        let tree = scratch.write_tree(self, deadline)?;
        if tree == before {
            return Ok(None);
        }
        let commit = NewCommit { tree: &tree, parents: head.iter().collect(), message };
        self.advance(head.as_ref(), &commit, deadline).map(Some)
    }

    /// The tree that a commit of these paths would have; nothing is changed.
    pub fn tree_with<S: AsRef<str>>(
        &self,
        paths: &[S],
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        let staging = self.staging(paths, deadline)?;
        let head = self.head(deadline)?;
        let scratch = ScratchIndex::new(self, head.as_ref(), deadline)?;
        scratch.stage(self, &staging, deadline)?;
        scratch.write_tree(self, deadline)
    }

    fn staging<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<Staging, VcsError> {
        let (mut staging, mut files, mut repositories) = (Staging::default(), vec![], vec![]);
        for path in self.locate(paths)? {
            match self.look(&path)? {
                OnDisk::Absent | OnDisk::Folder | OnDisk::Special => staging.gone.push(path),
                OnDisk::File => files.push(path),
                OnDisk::Repository => repositories.push(path),
                OnDisk::InsideRepository => {
                    return Err(VcsError::OwnRepository { path: self.given(&path) });
                }
            }
        }
        // To be gone is harmless for what was never tracked, and right for what no longer is.
        let ignored = self.ignored(&files, deadline)?;
        for path in files {
            let side =
                if ignored.contains(&path) { &mut staging.gone } else { &mut staging.present };
            side.push(path);
        }
        if !repositories.is_empty() {
            let indexed = self.indexed(deadline)?;
            for path in repositories {
                let is_submodule = indexed.contains(&path);
                let side = if is_submodule { &mut staging.present } else { &mut staging.gone };
                side.push(path);
            }
        }
        Ok(staging)
    }
}
