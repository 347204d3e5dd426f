//! Version control after an accepted step, where the settings ask for it. Everything is committed by
//! then, so mostly there is something to push and nothing to commit.

use vcs::CommitId;

use crate::RunError;
use crate::options::ScmTask;
use crate::run_files::deadline;
use crate::scm::{Meanwhile, Message, Performed, Prepared, Scm};
use crate::stories::iteration::Iteration;
use crate::stories::project_snapshot::{Actor, ProjectSnapshot};
use crate::stories::run::Run;
use crate::stories::settle::no_commit;

impl Run<'_> {
    /// Where the settings ask for pushes. The work is safe without it, so a failure is only told.
    pub(crate) fn push_failure_branch(&mut self, branch: &str) -> Result<(), RunError> {
        let options = self.options;
        let Some(scm) = options.run.scm.as_ref().filter(|scm| scm.tasks.contains(&ScmTask::Push))
        else {
            return Ok(());
        };
        let own = self.state.branch.clone();
        let is_safe = self.tree.enforce_control_files_for_user();
        let pushed = match is_safe.and_then(|()| self.tree.remote_of(&own, deadline())) {
            Ok(Some(remote)) => self.session_context().push_branch(scm, &remote, branch)?,
            Ok(None) => Err("there is no remote".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = pushed {
            self.sink.warn(format!("{branch} is here, but could not be pushed: {why}"));
        }
        Ok(())
    }

    pub(crate) fn version_control(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let options = self.options;
        let Some(scm) = &options.run.scm else { return Ok(()) };
        let (tree, untracked) = (self.tree.clone(), self.state.not_ours());
        let before = tree.head(deadline())?.ok_or_else(no_commit)?;
        let scm =
            Scm { options: scm, tree: &tree, folder: &iteration.folder, untracked: &untracked };
        let prepared = self.prepare_commit(iteration, &scm, &before)?;
        let message = match (prepared.message, prepared.meanwhile) {
            (Message::Missing { why }, _) => return Err(RunError::NoCommitMessage { why }),
            (Message::Stopped, _) => return Ok(()),
            (Message::Given(message), Meanwhile::Untouched) => Some(message),
            // A file that was not checked is not committed.
            (Message::Given(_), Meanwhile::Changed) | (Message::NotNeeded, _) => None,
        };
        // The step counts either way: a stop only leaves these tasks to the next iteration.
        for task in &scm.options.tasks {
            let performed = self.perform_in_order(iteration, &scm, *task, message.as_deref())?;
            if performed != Performed::All {
                break;
            }
        }
        if let Some(after) = tree.head(deadline())? {
            self.book_commits(iteration, &before, &after);
        }
        Ok(())
    }

    /// A session that is asked for a message may only read: no review follows on what it does.
    fn prepare_commit(
        &mut self,
        iteration: &Iteration,
        scm: &Scm<'_>,
        head: &CommitId,
    ) -> Result<Prepared, RunError> {
        let snapshot = self.scene_of(Actor::MessageSession, iteration, head.clone())?;
        let mut prepared =
            self.session_context().prepare_commit(scm, iteration.assignment.iteration)?;
        if prepared.sessions.is_empty() {
            return Ok(prepared);
        }
        for session in &prepared.sessions {
            self.state.counters.book(&session.conclusion);
            self.state.tokens.add(session.conclusion.tokens());
        }
        if self.undo_on(&snapshot, iteration)? {
            prepared.meanwhile = Meanwhile::Changed;
        }
        Ok(prepared)
    }

    /// The hooks that run with a push may have done anything: what counts is what was judged.
    fn perform_in_order(
        &mut self,
        iteration: &Iteration,
        scm: &Scm<'_>,
        task: ScmTask,
        message: Option<&str>,
    ) -> Result<Performed, RunError> {
        if task == ScmTask::Commit {
            return self.session_context().perform(scm, &[task], message);
        }
        let head = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let snapshot = self.scene_of(Actor::GitHook, iteration, head)?;
        let performed = self.session_context().perform(scm, &[task], message);
        self.undo_on(&snapshot, iteration)?;
        performed
    }

    fn scene_of(
        &mut self,
        actor: Actor,
        iteration: &Iteration,
        head: CommitId,
    ) -> Result<ProjectSnapshot, RunError> {
        let standing = self.expected_tasks()?;
        Ok(self.snapshot(actor, Some(iteration.assignment.story.clone()), head, &standing.text))
    }

    /// Whether there was an offence to undo.
    fn undo_on(
        &mut self,
        snapshot: &ProjectSnapshot,
        iteration: &Iteration,
    ) -> Result<bool, RunError> {
        let findings = self.restore_unexpected_changes(snapshot, &iteration.folder)?;
        for finding in &findings {
            self.sink.warn(format!("{finding}; undone"));
        }
        Ok(!findings.is_empty())
    }
}
