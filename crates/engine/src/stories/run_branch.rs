//! The branch of a run: the task list names it, and the runner switches back to it whenever another branch is
//! checked out.

use std::rc::Rc;

use vcs::{BranchPrepared, CommitId};
use verify::RepositoryChange;

use crate::RunError;
use crate::run_files::deadline;
use crate::stories::notice::NoticeOrigin;
use crate::stories::run::Run;
use crate::stories::start_preconditions::{
    branch_error, refuse_tree, refuse_uncommitted, uncommitted,
};
use crate::stories::state::StoryRunState;
use crate::stories::task_text::TaskText;

impl Run<'_> {
    /// Returns the list of that branch. A list on another branch only names the branch.
    pub(crate) fn switch_to_branch_of_list(&mut self) -> Result<Rc<TaskText>, RunError> {
        let elsewhere = self.expected_tasks()?;
        let branch = self.branch_of(&elsewhere.list);
        self.switch_to(&branch)?;
        self.judged = None;
        self.expected_tasks()
    }

    /// Commits of the runner must not go to another branch.
    pub(crate) fn ensure_own_branch(&mut self) -> Result<(), RunError> {
        let branch = self.state.branch.clone();
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
        let branch = self.state.branch.clone();
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
        let before = self.repository.refs.as_ref().and_then(|refs| refs.get(&target));
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
        let branch = &self.state.branch;
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

    /// A resumed run keeps its branch, because an agent can write another name into the list.
    fn branch_of(&mut self, list: &tasks::TaskList) -> String {
        let own = self.state.branch.clone();
        if own.is_empty() || own == list.branch_name {
            return list.branch_name.clone();
        }
        self.sink.warn(format!(
            "the task list names branch {:?}; this run stays on {own:?} (use --fresh to switch)",
            list.branch_name
        ));
        own
    }

    fn switch_to(&mut self, branch: &str) -> Result<(), RunError> {
        let now = self.tree.state(deadline())?;
        refuse_tree(&now)?;
        let new_paths = uncommitted(&now, self.layout, Some(&self.state));
        if !self.options.allow_dirty {
            refuse_uncommitted(&new_paths)?;
        }
        // Clean files stay in the list: they are the user's, even if a story's commit contains them.
        self.state.dirty_before.extend(new_paths);
        self.state.unwatched_before = self.tree.unwatched(deadline())?;
        self.tree.prepare_branch(branch, deadline()).map_err(branch_error)?;
        self.state.branch = branch.to_owned();
        let elsewhere = now.branch.filter(|from| from != branch);
        self.state.base = elsewhere.or(self.state.base.take());
        Ok(())
    }

    /// The branch to merge the work into, if the run started on its own branch: the last run's base, or the default
    /// branch.
    pub(crate) fn find_base(&mut self, last: Option<&StoryRunState>) {
        let own = &self.state.branch;
        let known = last.filter(|last| last.branch == *own).and_then(|last| last.base.clone());
        // Optional, so errors are ignored.
        let usual = || self.tree.default_branch(deadline()).ok().flatten();
        let base = self.state.base.take().or(known).or_else(usual);
        self.state.base = base.filter(|base| base != own);
    }
}
