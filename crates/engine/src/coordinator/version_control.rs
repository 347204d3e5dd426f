//! Commits and pushes after an accepted step, if the settings ask for it. Usually everything is committed already and
//! only the push is left.

use vcs::CommitId;

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::lane::Iteration;
use crate::options::ScmTask;
use crate::run_files::{deadline, no_commit};
use crate::scm::{CommitMessage, PreparedCommit, Scm, ScmProgress};
use crate::workspace::{Actor, ProjectSnapshot};

impl Coordinator<'_> {
    /// Pushes if the settings ask for it. A failure only warns, because the work is kept locally.
    pub(crate) fn push_failure_branch(&mut self, branch: &str) -> Result<(), RunError> {
        let options = self.options;
        let Some(scm) = options.run.scm.as_ref().filter(|scm| scm.tasks.contains(&ScmTask::Push))
        else {
            return Ok(());
        };
        let own = self.lane.workspace.baseline.branch.clone();
        let is_safe = self.lane.workspace.tree.enforce_control_files_for_user();
        let pushed =
            match is_safe.and_then(|()| self.lane.workspace.tree.remote_of(&own, deadline())) {
                Ok(Some(remote)) => self.control.push_branch(scm, &remote, branch)?,
                Ok(None) => Err("no remote is configured".to_owned()),
                Err(error) => Err(error.to_string()),
            };
        if let Err(why) = pushed {
            self.control.sink.warn(format!("cannot push {branch}; it exists only locally: {why}"));
        }
        Ok(())
    }

    pub(crate) fn version_control(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let options = self.options;
        let Some(scm) = &options.run.scm else { return Ok(()) };
        let (tree, untracked) =
            (self.lane.workspace.tree.clone(), self.lane.workspace.baseline.excluded_paths());
        let before = tree.head(deadline())?.ok_or_else(no_commit)?;
        let scm =
            Scm { options: scm, tree: &tree, folder: &iteration.folder, untracked: &untracked };
        let prepared = self.prepare_commit(iteration, &scm, &before)?;
        let message = match (prepared.message, prepared.files_changed) {
            (CommitMessage::Missing { why }, _) => return Err(RunError::NoCommitMessage { why }),
            (CommitMessage::Stopped, _) => return Ok(()),
            (CommitMessage::Given(message), false) => Some(message),
            // Unchecked files are not committed.
            (CommitMessage::Given(_), true) | (CommitMessage::NotNeeded, _) => None,
        };
        // The step counts in any case: after a stop the next iteration performs these tasks.
        for task in &scm.options.tasks {
            let performed = self.perform_task(iteration, &scm, *task, message.as_deref())?;
            if performed != ScmProgress::All {
                break;
            }
        }
        if let Some(after) = tree.head(deadline())? {
            self.record_commits(iteration, &before, &after);
        }
        Ok(())
    }

    /// The session for the commit message may only read, because no review follows.
    fn prepare_commit(
        &mut self,
        iteration: &Iteration,
        scm: &Scm<'_>,
        head: &CommitId,
    ) -> Result<PreparedCommit, RunError> {
        let snapshot = self.snapshot_of(Actor::MessageSession, iteration, head.clone())?;
        let (limits, number) = (&mut self.state.usage_limits, iteration.assignment.iteration);
        let mut prepared = self.control.prepare_commit(scm, limits, number)?;
        if prepared.sessions.is_empty() {
            return Ok(prepared);
        }
        for session in &prepared.sessions {
            self.state.counters.add_session(&session.conclusion);
            self.state.tokens.add(session.conclusion.tokens());
        }
        if self.revert_changes(&snapshot, iteration)? {
            prepared.files_changed = true;
        }
        Ok(prepared)
    }

    /// Restores the judged state after a push, because git hooks may change anything.
    fn perform_task(
        &mut self,
        iteration: &Iteration,
        scm: &Scm<'_>,
        task: ScmTask,
        message: Option<&str>,
    ) -> Result<ScmProgress, RunError> {
        if task == ScmTask::Commit {
            return self.control.perform(scm, &[task], message);
        }
        let head = self.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let snapshot = self.snapshot_of(Actor::GitHook, iteration, head)?;
        let performed = self.control.perform(scm, &[task], message);
        self.revert_changes(&snapshot, iteration)?;
        performed
    }

    fn snapshot_of(
        &mut self,
        actor: Actor,
        iteration: &Iteration,
        head: CommitId,
    ) -> Result<ProjectSnapshot, RunError> {
        let expected = self.expected_tasks()?;
        Ok(self.lane.workspace.snapshot(
            actor,
            Some(iteration.assignment.story.clone()),
            head,
            &expected.text,
        ))
    }

    /// Returns whether something was reverted.
    fn revert_changes(
        &mut self,
        snapshot: &ProjectSnapshot,
        iteration: &Iteration,
    ) -> Result<bool, RunError> {
        let findings =
            self.lane.workspace.restore_unexpected_changes(snapshot, &iteration.folder)?;
        for finding in &findings {
            self.control.sink.warn(format!("{finding}; reverted"));
        }
        Ok(!findings.is_empty())
    }
}
