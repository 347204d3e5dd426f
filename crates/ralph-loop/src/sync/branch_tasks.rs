//! The task list on the run's branch, in the user's work tree or only in the branch.

use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use project::{LARGEST_TASK_LIST, Layout};
use tasks::TaskList;
use vcs::{Advance, CommitId, VcsError, WorkTree};

use crate::command_error::{git_failed, precondition};
use crate::run_report::quoted;
use crate::status::TaskFile;

const GIT_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    WorkTree,
    /// The branch is not checked out.
    Branch,
}

#[derive(Debug)]
pub(super) struct BranchTasks {
    pub(super) tree: WorkTree,
    pub(super) branch: String,
    /// The commit of the branch.
    pub(super) tip: CommitId,
    pub(super) text: String,
    pub(super) list: TaskList,
    place: Place,
}

impl BranchTasks {
    /// The branch is that of the list in the work tree.
    pub(super) fn read(layout: &Layout) -> Result<Self> {
        let name = layout.tasks_name();
        let on_disk = TaskFile::read(layout);
        let branch = on_disk.list().map(|list| list.branch_name.clone()).ok_or_else(|| {
            precondition(
                format!("{name} is missing or invalid"),
                "check it with `ralph-loop validate`",
            )
        })?;
        let tree = WorkTree::open(layout.root()).map_err(|_| {
            let what = format!("{} is not in a git repository", layout.root().display());
            precondition(what, "run sync in the repository of the run")
        })?;
        vcs::refuse_invalid_branch(&branch).map_err(git)?;
        let tip = tree.branch_tip(&branch, deadline()).map_err(git)?.ok_or_else(|| {
            let hint = format!(
                "start a run, or get it with `git fetch` and `git switch {}`",
                quoted(&branch)
            );
            precondition(format!("there is no branch {branch}"), hint)
        })?;
        let state = tree.state(deadline()).map_err(git)?;
        let place =
            if state.branch.as_ref() == Some(&branch) { Place::WorkTree } else { Place::Branch };
        if place == Place::WorkTree && state.dirty.iter().any(|dirty| dirty.path == name) {
            let hint = format!("commit it, or undo it with `git restore {}`", quoted(&name));
            return Err(precondition(format!("{name} has uncommitted changes"), hint));
        }
        let bytes = match place {
            Place::WorkTree => bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST)
                .with_context(|| format!("cannot read {name}"))?,
            Place::Branch => {
                let found =
                    tree.file_at(&tip, &name, LARGEST_TASK_LIST, deadline()).map_err(git)?;
                found.ok_or_else(|| {
                    let hint = format!("switch to it with `git switch {}`", quoted(&branch));
                    precondition(format!("branch {branch} has no {name}"), hint)
                })?
            }
        };
        let text = String::from_utf8(bytes).with_context(|| format!("cannot read {name}"))?;
        let list = tasks::inspect(text.as_bytes()).accepted().map_err(|problems| {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            precondition(
                format!("{name} is invalid: {first}"),
                "check it with `ralph-loop validate`",
            )
        })?;
        Ok(Self { tree, branch, tip, text, list, place })
    }

    /// Commits the list to the branch. Returns the commit.
    pub(super) fn write(&self, text: &str, message: &str, layout: &Layout) -> Result<CommitId> {
        let name = layout.tasks_name();
        match self.place {
            Place::WorkTree => {
                project::write_whole(&layout.tasks(), text.as_bytes())
                    .with_context(|| format!("cannot write {name}"))?;
                // `None` if git ignores the list.
                let made = self.tree.commit_paths(&[&name], message, deadline()).map_err(git)?;
                Ok(made.unwrap_or_else(|| self.tip.clone()))
            }
            Place::Branch => {
                let tree = self.tree.tree_id(&self.tip, deadline()).map_err(git)?;
                let files = [(name, text.as_bytes().to_vec())];
                let tree = self.tree.tree_plus(tree, &files, deadline()).map_err(git)?;
                let made = self.tree.commit_tree(&tree, &[&self.tip], message, deadline());
                let made = made.map_err(git)?;
                self.advance(&made)?;
                Ok(made)
            }
        }
    }

    fn advance(&self, to: &CommitId) -> Result<()> {
        let (branch, reason) = (&self.branch, "ralph-loop sync");
        match self.tree.advance_branch(branch, &self.tip, to, reason, deadline()).map_err(git)? {
            Advance::Moved => Ok(()),
            Advance::CheckedOut(folder) => Err(precondition(
                format!("branch {branch} is checked out in {folder}"),
                "run sync there",
            )),
            Advance::At(_) => Err(precondition(
                format!("another program moved branch {branch}"),
                "run sync again",
            )),
        }
    }
}

fn git(error: VcsError) -> Error {
    git_failed(error.to_string(), "")
}

pub(super) fn deadline() -> Instant {
    Instant::now() + GIT_TIMEOUT
}
