//! The run's branch: the runner alone moves it, from the commit that it set last to one that it has verified.

use vcs::CommitId;

use crate::RunError;
use crate::lane::TaskText;
use crate::parallel::integration::{Integration, Moved};
use crate::parallel::shared_run::Turn;
use crate::run_files::deadline;

/// Another program that moves the branch more often than this prevents the run.
const MOST_TRIES: u32 = 10;

impl Turn<'_, '_> {
    /// The commit that the runner set last. The branch is there.
    pub(crate) fn tip(&self) -> Result<CommitId, RunError> {
        let tip = commit_id(&self.shared.state().separate().tip)?;
        let integration = &self.integrator.integration;
        integration.hold(&tip)?;
        Ok(tip)
    }

    /// Moves the branch from `tip` to `commit`, whose list is `list`.
    pub(crate) fn advance(
        &self,
        tip: &CommitId,
        commit: &CommitId,
        list: TaskText,
    ) -> Result<(), RunError> {
        let mut state = self.shared.state();
        state.separate().merging = Some(commit.to_string());
        self.shared.save(state)?;
        let integration = &self.integrator.integration;
        for _ in 0..MOST_TRIES {
            if let Moved::Yes = integration.advance(tip, commit)? {
                let mut state = self.shared.state();
                let separate = state.separate();
                separate.tip = commit.to_string();
                separate.merging = None;
                state.list = std::sync::Arc::new(list);
                return self.shared.save(state);
            }
            integration.hold(tip)?;
        }
        Err(moved_by_others(integration))
    }
}

impl Integration<'_> {
    /// Moves the branch back to `tip` if another program moved it. Its commits are kept.
    pub(crate) fn hold(&self, tip: &CommitId) -> Result<(), RunError> {
        for _ in 0..MOST_TRIES {
            match self.tree.branch_tip(&self.branch, deadline())? {
                Some(at) if at == *tip => return Ok(()),
                Some(other) => self.move_back(&other, tip)?,
                None => {
                    self.tree.create_branch(&self.branch, tip, deadline())?;
                    let branch = &self.branch;
                    self.sink.warn(format!("branch {branch} was removed; it is at {tip} again"));
                }
            }
        }
        Err(moved_by_others(self))
    }

    fn move_back(&self, other: &CommitId, tip: &CommitId) -> Result<(), RunError> {
        let kept = format!("refs/ralph/{}-moved/{other}", self.run_id);
        self.tree.set_reference(&kept, other, deadline())?;
        if let Moved::Yes = self.advance(other, tip)? {
            let branch = &self.branch;
            self.sink.warn(format!(
                "another program moved branch {branch} to {other}; it is at {tip} again, and {kept} keeps that commit"
            ));
        }
        Ok(())
    }
}

pub(crate) fn commit_id(text: &str) -> Result<CommitId, RunError> {
    CommitId::new(text).map_err(|error| RunError::Precondition {
        what: format!("the state of the run is invalid: {error}"),
        hint: None,
    })
}

fn moved_by_others(integration: &Integration<'_>) -> RunError {
    RunError::precondition(
        format!("another program moves branch {} again and again", integration.branch),
        "end that program, then run the same command again",
    )
}
