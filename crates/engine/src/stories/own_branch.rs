//! The branch that a run works on: named by the list, switched to before anything is decided, and come
//! back to whenever somebody left it.

use std::rc::Rc;

use vcs::{BranchPrepared, VcsError};

use crate::RunError;
use crate::house::deadline;
use crate::options::DirtyPolicy;
use crate::stories::run::Run;
use crate::stories::task_text::TaskText;

/// Dirty files that an error names.
const NAMED: usize = 10;

impl Run<'_> {
    /// The list as it is on that branch: the one that is read elsewhere only says which branch it is.
    pub(crate) fn stand_on_branch_of_list(&mut self) -> Result<Rc<TaskText>, RunError> {
        let elsewhere = self.standing_list()?;
        let branch = self.branch_of(&elsewhere.list);
        self.switch_to(&branch)?;
        self.judged = None;
        self.standing_list()
    }

    /// Whoever left it in between would see another branch moved.
    pub(crate) fn stand_on_own_branch(&mut self) -> Result<(), RunError> {
        let branch = self.state.branch.clone();
        if self.return_to_branch()? != BranchPrepared::AlreadyThere {
            self.teller.warn(format!("somebody left the branch of the run; back on {branch}"));
        }
        Ok(())
    }

    /// A run that goes on stays where it is: an agent can write another name into the list.
    fn branch_of(&mut self, list: &tasks::TaskList) -> String {
        let own = self.state.branch.clone();
        if own.is_empty() || own == list.branch_name {
            return list.branch_name.clone();
        }
        self.teller.warn(format!(
            "the task list names branch {:?} now; this run stays on {own:?}, --fresh takes the other",
            list.branch_name
        ));
        own
    }

    fn switch_to(&mut self, branch: &str) -> Result<(), RunError> {
        let now = self.tree.state(deadline())?;
        if now.head.is_none() {
            return Err(RunError::precondition(
                "the repository has no commit yet",
                "commit what you have: `git add -A && git commit -m start`",
            ));
        }
        if let Some(operation) = now.operation {
            return Err(RunError::precondition(
                format!("a {operation} is in progress"),
                "finish or abort it first",
            ));
        }
        let news: Vec<String> = now
            .dirty
            .into_iter()
            .map(|dirty| dirty.path)
            .filter(|path| !self.layout.is_runtime(path))
            .filter(|path| !self.state.is_dirty_before(path))
            .collect();
        if self.options.dirty == DirtyPolicy::Refuse && !news.is_empty() {
            return Err(uncommitted(&news));
        }
        // One that is not dirty any more may be in a story's commit, and is the user's all the same.
        self.state.dirty_before.extend(news);
        self.state.unwatched_before = self.tree.unwatched(deadline())?;
        self.tree.prepare_branch(branch, deadline()).map_err(|error| match error {
            VcsError::InvalidBranch { name } => RunError::precondition(
                format!("branchName {name:?} is not a name for a branch"),
                "put another one into the task list",
            ),
            other => RunError::Git(other),
        })?;
        self.state.branch = branch.to_owned();
        Ok(())
    }
}

fn uncommitted(paths: &[String]) -> RunError {
    let mut names: Vec<String> =
        paths.iter().take(NAMED).map(|path| format!("  {}", plain_text::plain(path))).collect();
    if paths.len() > NAMED {
        names.push(format!("  … and {} more", paths.len() - NAMED));
    }
    RunError::precondition(
        format!("there are uncommitted changes:\n{}", names.join("\n")),
        "commit them (`git add -A && git commit`), stash them, or let them be with --allow-dirty",
    )
}
