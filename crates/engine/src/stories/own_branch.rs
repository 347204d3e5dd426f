//! The branch that a run works on: named by the list, switched to before anything is decided, and come
//! back to whenever somebody left it.

use std::rc::Rc;

use vcs::{BranchPrepared, CommitId};
use verify::RepositoryChange;

use crate::RunError;
use crate::options::DirtyPolicy;
use crate::run_files::deadline;
use crate::stories::notice::Origin;
use crate::stories::refusals::{of_branch, refuse_tree, refuse_uncommitted, uncommitted};
use crate::stories::run::Run;
use crate::stories::state::RunState;
use crate::stories::task_text::TaskText;

impl Run<'_> {
    /// The list as it is on that branch: the one that is read elsewhere only says which branch it is.
    pub(crate) fn stand_on_branch_of_list(&mut self) -> Result<Rc<TaskText>, RunError> {
        let elsewhere = self.expected_tasks()?;
        let branch = self.branch_of(&elsewhere.list);
        self.switch_to(&branch)?;
        self.judged = None;
        self.expected_tasks()
    }

    /// Whoever left it in between would see another branch moved.
    pub(crate) fn stand_on_own_branch(&mut self) -> Result<(), RunError> {
        let branch = self.state.branch.clone();
        if self.return_to_branch()? != BranchPrepared::AlreadyThere {
            self.sink.warn(format!("somebody left the branch of the run; back on {branch}"));
        }
        Ok(())
    }

    /// A branch that leads to another one would have the runner commit there: it becomes a branch of its own
    /// again, at the commit that is known, and the other one goes back to where it was.
    pub(crate) fn restore_own_branch(
        &mut self,
        origin: &Origin<'_>,
        known: &CommitId,
    ) -> Result<Option<RepositoryChange>, RunError> {
        let branch = self.state.branch.clone();
        let Some(target) = self.tree.symbolic_target(&branch, deadline())? else {
            return Ok(None);
        };
        self.free_git()?;
        let mut what =
            format!("made {branch} a symbolic reference; it is a branch again, at {known}");
        if let Some(tip) = self.tree.branch_tip(&branch, deadline())?.filter(|tip| tip != known) {
            let kept = self.back_up(&format!("symbolic-{tip}"), &tip)?;
            what.push_str(&format!(", what it led to is kept as {kept}"));
        }
        self.tree.set_reference(&format!("refs/heads/{branch}"), known, deadline())?;
        let before = self.repository.refs.as_ref().and_then(|refs| refs.get(&target));
        let before = before.and_then(|commit| CommitId::new(commit).ok());
        if let Some(commit) = before {
            self.tree.set_reference(&target, &commit, deadline())?;
            what.push_str(", the other one is where it was");
        }
        self.notice(origin, &what, &[&target]);
        Ok(Some(RepositoryChange::SymbolicBranch { branch, target }))
    }

    /// No run begins on one: a session whose runner was killed may have made it.
    pub(crate) fn refuse_symbolic_branch(&self) -> Result<(), RunError> {
        let branch = &self.state.branch;
        match self.tree.symbolic_target(branch, deadline())? {
            None => Ok(()),
            Some(target) => Err(RunError::precondition(
                format!("branch {branch} is a symbolic reference to {target}"),
                format!(
                    "make it a branch of its own: `git update-ref --no-deref refs/heads/{branch} COMMIT`"
                ),
            )),
        }
    }

    /// A run that goes on stays where it is: an agent can write another name into the list.
    fn branch_of(&mut self, list: &tasks::TaskList) -> String {
        let own = self.state.branch.clone();
        if own.is_empty() || own == list.branch_name {
            return list.branch_name.clone();
        }
        self.sink.warn(format!(
            "the task list names branch {:?} now; this run stays on {own:?}, --fresh takes the other",
            list.branch_name
        ));
        own
    }

    fn switch_to(&mut self, branch: &str) -> Result<(), RunError> {
        let now = self.tree.state(deadline())?;
        refuse_tree(&now)?;
        let news = uncommitted(&now, self.layout, Some(&self.state));
        if self.options.dirty == DirtyPolicy::Refuse {
            refuse_uncommitted(&news)?;
        }
        // One that is not dirty any more may be in a story's commit, and is the user's all the same.
        self.state.dirty_before.extend(news);
        self.state.unwatched_before = self.tree.unwatched(deadline())?;
        self.tree.prepare_branch(branch, deadline()).map_err(of_branch)?;
        self.state.branch = branch.to_owned();
        let elsewhere = now.branch.filter(|from| from != branch);
        self.state.base = elsewhere.or(self.state.base.take());
        Ok(())
    }

    /// Where the work is merged into, of a run that began on its own branch: what the run before knew, else the
    /// default branch.
    pub(crate) fn find_base(&mut self, last: Option<&RunState>) {
        let own = &self.state.branch;
        let known = last.filter(|last| last.branch == *own).and_then(|last| last.base.clone());
        // A run is none the worse for not knowing it.
        let usual = || self.tree.default_branch(deadline()).ok().flatten();
        let base = self.state.base.take().or(known).or_else(usual);
        self.state.base = base.filter(|base| base != own);
    }
}
