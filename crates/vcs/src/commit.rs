//! Commits of exactly the given paths.

use std::time::Instant;

use crate::index::{ScratchIndex, Staging};
use crate::new_commit::NewCommit;
use crate::repo_path::OnDisk;
use crate::{CommitId, TreeId, VcsError, WorkTree};

impl WorkTree {
    /// Commits the paths as they are in the work tree: added, changed or deleted. `None` if HEAD
    /// already has that state.
    ///
    /// Other staged changes stay staged and out of the commit. Skipped are ignored untracked paths,
    /// folders, and what git cannot store: pipes, repositories that are no submodules. Refused
    /// during a merge, rebase, cherry-pick or revert.
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
        // The user's index comes first. After a commit that it does not know, the reverse change
        // would appear staged.
        self.stage(&staging, deadline)?;
        scratch.stage(self, &staging, deadline)?;
        let tree = scratch.write_tree(self, deadline)?;
        if tree == before {
            return Ok(None);
        }
        let commit = NewCommit { tree: &tree, parents: head.iter().collect(), message };
        self.advance(head.as_ref(), &commit, deadline).map(Some)
    }

    /// The tree of such a commit; changes nothing.
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
                    return Err(VcsError::OwnRepository { path: self.project_path(&path) });
                }
            }
        }
        // A removal has no effect on a path that was never tracked.
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
