//! Switches back to the run's branch, whatever a session did to block it.

use vcs::{BranchPrepared, VcsError};

use crate::RunError;
use crate::run_files::deadline;
use crate::stories::run::Run;

impl Run<'_> {
    /// Like `prepare_branch`. A branch whose name blocks the run's becomes a backup ref, and another work tree on the
    /// run's branch does not matter.
    pub(crate) fn return_to_branch(&mut self) -> Result<BranchPrepared, RunError> {
        let branch = self.state.branch.clone();
        match self.tree.prepare_branch(&branch, deadline()) {
            Err(VcsError::BranchRefused { .. }) => {}
            prepared => return Ok(prepared?),
        }
        let under = format!("{}/branches", self.state.run_id);
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
}
