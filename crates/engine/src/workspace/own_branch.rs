//! The branch of the run: switches back to it, whatever a session did to block it, and keeps it a real branch.

use vcs::{BranchPrepared, CommitId, VcsError};
use verify::RepositoryChange;

use crate::RunError;
use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::notice::NoticeOrigin;

impl Workspace<'_> {
    /// Like `prepare_branch`. A branch whose name blocks the run's becomes a backup ref, and another work tree on the
    /// run's branch does not matter.
    pub(crate) fn return_to_branch(&mut self) -> Result<BranchPrepared, RunError> {
        let branch = self.baseline.branch.clone();
        match self.tree.prepare_branch(&branch, deadline()) {
            Err(VcsError::BranchRefused { .. }) => {}
            prepared => return Ok(prepared?),
        }
        let under = format!("{}/branches", self.run_id);
        for moved in self.tree.free_branch_name(&branch, &under, deadline())? {
            self.sink.warn(format!(
                "branch {moved} blocked {branch}; moved it to refs/ralph/{under}/{moved}"
            ));
        }
        let elsewhere = self.tree.work_tree_on(&branch, deadline())?;
        let prepared = self.tree.take_branch(&branch, deadline())?;
        if let Some(folder) = elsewhere {
            self.sink.warn(format!("the work tree in {folder} also has {branch} checked out"));
        }
        Ok(prepared)
    }

    /// Commits of the runner must not go to another branch.
    pub(crate) fn ensure_own_branch(&mut self) -> Result<(), RunError> {
        let branch = self.baseline.branch.clone();
        if self.return_to_branch()? != BranchPrepared::AlreadyThere {
            self.sink.warn(format!("the agent switched branches; switched back to {branch}"));
        }
        Ok(())
    }

    /// Replaces a symbolic ref with a real branch at the known commit, and resets its target. Otherwise the runner
    /// would commit to the target.
    pub(crate) fn restore_own_branch(
        &mut self,
        origin: &NoticeOrigin<'_>,
        known: &CommitId,
    ) -> Result<Option<RepositoryChange>, RunError> {
        let branch = self.baseline.branch.clone();
        let Some(target) = self.tree.symbolic_target(&branch, deadline())? else {
            return Ok(None);
        };
        self.remove_stale_git_locks()?;
        let mut what =
            format!("made {branch} a symbolic reference; it is a real branch again, at {known}");
        if let Some(tip) = self.tree.branch_tip(&branch, deadline())?.filter(|tip| tip != known) {
            let kept = self.back_up(&format!("symbolic-{tip}"), &tip)?;
            what.push_str(&format!(", its target is backed up as {kept}"));
        }
        self.tree.set_reference(&format!("refs/heads/{branch}"), known, deadline())?;
        let before = self.known.refs.as_ref().and_then(|refs| refs.get(&target));
        let before = before.and_then(|commit| CommitId::new(commit).ok());
        if let Some(commit) = before {
            self.tree.set_reference(&target, &commit, deadline())?;
            what.push_str(", the target is reset");
        }
        self.notice(origin, &what, &[&target]);
        Ok(Some(RepositoryChange::SymbolicBranch { branch, target }))
    }

    /// A session whose runner was killed may have created it.
    pub(crate) fn refuse_symbolic_branch(&self) -> Result<(), RunError> {
        let branch = &self.baseline.branch;
        match self.tree.symbolic_target(branch, deadline())? {
            None => Ok(()),
            Some(target) => Err(RunError::precondition(
                format!("branch {branch} is a symbolic reference to {target}"),
                format!(
                    "make it a real branch: `git update-ref --no-deref refs/heads/{branch} COMMIT`"
                ),
            )),
        }
    }
}
