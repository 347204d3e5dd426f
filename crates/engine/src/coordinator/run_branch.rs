//! The branch of a run: the task list names it, and the runner switches back to it whenever another branch is
//! checked out.

use std::sync::Arc;

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::start_preconditions::{
    branch_error, refuse_tree, refuse_uncommitted, uncommitted,
};
use crate::coordinator::state::SavedRun;
use crate::lane::TaskText;
use crate::run_files::deadline;

impl Coordinator<'_> {
    /// Returns the list of that branch. A list on another branch only names the branch.
    pub(crate) fn switch_to_branch_of_list(&mut self) -> Result<Arc<TaskText>, RunError> {
        let elsewhere = self.expected_tasks()?;
        let branch = self.branch_of(&elsewhere.list);
        self.switch_to(&branch)?;
        self.judged = None;
        self.expected_tasks()
    }

    /// A resumed run keeps its branch, because an agent can write another name into the list.
    fn branch_of(&mut self, list: &tasks::TaskList) -> String {
        let own = self.lane.workspace.baseline.branch.clone();
        if own.is_empty() || own == list.branch_name {
            return list.branch_name.clone();
        }
        self.control.sink.warn(format!(
            "the task list names branch {:?}; this run stays on {own:?} (use --fresh to switch)",
            list.branch_name
        ));
        own
    }

    fn switch_to(&mut self, branch: &str) -> Result<(), RunError> {
        let now = self.lane.workspace.tree.state(deadline())?;
        refuse_tree(&now)?;
        let new_paths = uncommitted(&now, self.layout, Some(&self.lane.workspace.baseline));
        if !self.options.allow_dirty {
            refuse_uncommitted(&new_paths)?;
        }
        // Clean files stay in the list: they are the user's, even if a story's commit contains them.
        self.lane.workspace.baseline.dirty_before.extend(new_paths);
        self.lane.workspace.baseline.unwatched_before =
            self.lane.workspace.tree.unwatched(deadline())?;
        self.lane.workspace.tree.prepare_branch(branch, deadline()).map_err(branch_error)?;
        self.lane.workspace.baseline.branch = branch.to_owned();
        let elsewhere = now.branch.filter(|from| from != branch);
        self.state.base = elsewhere.or(self.state.base.take());
        Ok(())
    }

    /// The branch to merge the work into, if the run started on its own branch: the last run's base, or the default
    /// branch.
    pub(crate) fn find_base(&mut self, last: Option<&SavedRun>) {
        let own = &self.lane.workspace.baseline.branch;
        let known =
            last.filter(|last| last.baseline.branch == *own).and_then(|last| last.run.base.clone());
        // Optional, so errors are ignored.
        let usual = || self.lane.workspace.tree.default_branch(deadline()).ok().flatten();
        let base = self.state.base.take().or(known).or_else(usual);
        self.state.base = base.filter(|base| base != own);
    }
}
