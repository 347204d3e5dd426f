//! The way back to the run's branch, whatever a session put into it.

use vcs::{BranchPrepared, VcsError};

use crate::RunError;
use crate::run_files::deadline;
use crate::stories::run::Run;

impl Run<'_> {
    /// As `prepare_branch`. A branch whose name leaves no room for the run's becomes a backup, and a
    /// work tree that is on the run's branch does not keep the run from it.
    pub(crate) fn return_to_branch(&mut self) -> Result<BranchPrepared, RunError> {
        let branch = self.state.branch.clone();
        match self.tree.prepare_branch(&branch, deadline()) {
            Err(VcsError::BranchRefused { .. }) => {}
            prepared => return Ok(prepared?),
        }
        let under = format!("{}/branches", self.state.run_id);
        for moved in self.tree.make_way(&branch, &under, deadline())? {
            self.sink.warn(format!(
                "branch {moved} left no room for {branch}; it is kept as refs/ralph/{under}/{moved}"
            ));
        }
        let elsewhere = self.tree.work_tree_on(&branch, deadline())?;
        let prepared = self.tree.take_branch(&branch, deadline())?;
        if let Some(folder) = elsewhere {
            self.sink.warn(format!("the work tree in {folder} is on {branch} as well"));
        }
        Ok(prepared)
    }
}
