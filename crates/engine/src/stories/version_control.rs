//! Version control after an accepted step, where the settings ask for it. Everything is committed by
//! then, so mostly there is something to push and nothing to commit.

use crate::RunError;
use crate::house::deadline;
use crate::options::ScmTask;
use crate::scm::{Meanwhile, Message, Performed, Scm};
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::scene::Actor;
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
            Ok(Some(remote)) => self.stage().push_branch(scm, &remote, branch)?,
            Ok(None) => Err("there is no remote".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = pushed {
            self.teller.warn(format!("{branch} is here, but could not be pushed: {why}"));
        }
        Ok(())
    }

    pub(crate) fn version_control(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let options = self.options;
        let Some(scm) = &options.run.scm else { return Ok(()) };
        let (tree, untracked) = (self.tree.clone(), self.state.not_ours());
        let before = tree.head(deadline())?;
        let scm =
            Scm { options: scm, tree: &tree, folder: &iteration.folder, untracked: &untracked };
        let prepared = self.stage().prepare_commit(&scm, iteration.assignment.iteration)?;
        for session in &prepared.sessions {
            self.state.counters.book(&session.conclusion);
            self.state.tokens.add(session.conclusion.tokens());
        }
        let message = match (prepared.message, prepared.meanwhile) {
            (Message::Missing { why }, _) => return Err(RunError::NoCommitMessage { why }),
            (Message::Stopped, _) => return Ok(()),
            (Message::Given(message), Meanwhile::Untouched) => Some(message),
            // What nobody checked is not committed: the next iteration is judged with it.
            (Message::Given(_), Meanwhile::Changed) | (Message::NotNeeded, _) => None,
        };
        // The step counts either way: a stop only leaves these tasks to the next iteration.
        for task in &scm.options.tasks {
            let performed = self.perform_in_order(iteration, &scm, *task, message.as_deref())?;
            if performed != Performed::All {
                break;
            }
        }
        if let (Some(before), Some(after)) = (before, tree.head(deadline())?) {
            self.book_commits(iteration, &before, &after);
        }
        Ok(())
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
            return self.stage().perform(scm, &[task], message);
        }
        let standing = self.standing_list()?;
        let head = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let scene = self.scene(
            Actor::GitHook,
            Some(iteration.assignment.story.clone()),
            head,
            &standing.text,
        );
        let performed = self.stage().perform(scm, &[task], message);
        for finding in self.put_in_order(&scene, &iteration.folder)? {
            self.teller.warn(format!("{finding}; undone"));
        }
        performed
    }
}
