//! Commits of exactly the given paths, and changes of index and history that leave the work tree.

use std::time::Instant;

use crate::commits::NewCommit;
use crate::control_files::remove;
use crate::git_call::GitCall;
use crate::index::{Index, IndexInfo, Staging};
use crate::repo_path::{OnDisk, RepoPath};
use crate::{CommitId, Result, TreeId, VcsError, WorkTree};

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
    ) -> Result<Option<CommitId>> {
        self.refuse_during_operation()?;
        if paths.is_empty() {
            return Ok(None);
        }
        let staging = self.staging(paths, deadline)?;
        self.commit_change(message, deadline, |index| index.stage(&staging, deadline))
    }

    /// Commits a change of the index. `None` if HEAD already has that state. Other staged changes
    /// stay staged and out of the commit.
    pub(crate) fn commit_change(
        &self,
        message: &str,
        deadline: Instant,
        change: impl Fn(&Index<'_>) -> Result<()>,
    ) -> Result<Option<CommitId>> {
        let head = self.head(deadline)?;
        let index = Index::with(self, head.as_ref().map(CommitId::as_str), deadline)?;
        let before = index.write_tree(deadline)?;
        // The user's index comes first. After a commit that it does not know, the reverse change
        // would appear staged.
        change(&self.index())?;
        change(&index)?;
        let tree = index.write_tree(deadline)?;
        if tree == before {
            return Ok(None);
        }
        let commit = NewCommit { tree: &tree, parents: head.iter().collect(), message };
        self.advance(head.as_ref(), &commit, deadline).map(Some)
    }

    /// The tree of such a commit; changes nothing.
    pub fn tree_with<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<TreeId> {
        let staging = self.staging(paths, deadline)?;
        let head = self.head(deadline)?;
        let index = Index::with(self, head.as_ref().map(CommitId::as_str), deadline)?;
        index.stage(&staging, deadline)?;
        index.write_tree(deadline)
    }

    fn staging<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<Staging> {
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
        let (gone, present): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|path| ignored.contains(path));
        staging.gone.extend(gone);
        staging.present.extend(present);
        if !repositories.is_empty() {
            let indexed = self.indexed(deadline)?;
            let (submodules, others): (Vec<_>, Vec<_>) =
                repositories.into_iter().partition(|path| indexed.contains(path));
            staging.present.extend(submodules);
            staging.gone.extend(others);
        }
        Ok(staging)
    }

    /// Resets each path in the index to `from`, submodules included. The work tree stays.
    pub fn reset_index<S: AsRef<str>>(
        &self,
        from: &CommitId,
        paths: &[S],
        deadline: Instant,
    ) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let info = self.as_in(from, &self.locate(paths)?, deadline)?;
        self.index().feed(&info, deadline)
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
    ) -> Result<Option<CommitId>> {
        if paths.is_empty() {
            return Ok(None);
        }
        self.refuse_during_operation()?;
        let info = self.as_in(from, &self.locate(paths)?, deadline)?;
        self.commit_change(message, deadline, |index| index.feed(&info, deadline))
    }

    /// Points HEAD to an existing branch; index and work tree stay.
    pub fn name_branch(&self, name: &str, deadline: Instant) -> Result<()> {
        crate::refuse_invalid_branch(name)?;
        let args = ["-m", "ralph: back on the branch", "HEAD", &format!("refs/heads/{name}")];
        GitCall::write(self, "symbolic-ref").args(args).run(deadline)
    }

    /// Sets HEAD to `branch` at `commit` and resets the index. Later commits leave the branch. The
    /// work tree stays.
    pub fn abandon_commits(
        &self,
        branch: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<()> {
        crate::refuse_invalid_branch(branch)?;
        let reference = format!("refs/heads/{branch}");
        let args =
            ["-m", "ralph: without commits that cannot be read", &reference, commit.as_str()];
        GitCall::write(self, "update-ref").args(args).output(deadline)?;
        self.name_branch(branch, deadline)?;
        // It may name unreadable objects, too.
        remove(&self.git_dir.join("index"))?;
        let call = || Ok(GitCall::write(self, "read-tree").args([commit.as_str()]));
        self.change_index(deadline, call)?.check("read-tree")
    }

    fn as_in(&self, from: &CommitId, paths: &[RepoPath], deadline: Instant) -> Result<IndexInfo> {
        let entries = self.entries(from.as_str(), deadline)?;
        Ok(IndexInfo::of(self.resolve(from, deadline)?.as_str(), paths.iter(), &entries))
    }
}
