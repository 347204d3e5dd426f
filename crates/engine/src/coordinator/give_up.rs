//! Gives up a story that failed for good. Its work goes to a failure branch, the run's branch returns to the
//! state before the story, and the run continues without it.
//!
//! The plan is on disk before it is carried out, and every step can be repeated. So the next runner can finish
//! what a killed runner began.

mod checks;
mod plan;

use events::{GiveUpReason, LoopEvent};
use tasks::{ReviewStatus, StoryId};
use vcs::{CommitId, NewBranch, VcsError};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::escalation::{self, NextAttempt};
use crate::coordinator::failure_branch;
use crate::coordinator::state::{GivingUp, KeptWork};
use crate::options::AtReviewCap;
use crate::run_files::{deadline, no_commit};

impl Coordinator<'_> {
    /// Gives up every story that used all attempts or is to be skipped.
    pub(crate) fn give_up_failed(&mut self) -> Result<(), RunError> {
        while let Some((story, reason)) = self.next_to_give_up()? {
            self.lane.workspace.ensure_own_branch()?;
            let plan = self.plan_giving_up(&story, reason)?;
            self.perform_giving_up(plan)?;
        }
        Ok(())
    }

    /// Finishes what a killed runner began. Must run before the work tree is inspected, because it may be
    /// half-changed.
    pub(crate) fn finish_giving_up(&mut self) -> Result<(), RunError> {
        let Some(begun) = self.lane_state.giving_up.clone() else { return Ok(()) };
        self.control.sink.leftover_found(format!(
            "giving up story {} was interrupted; finishing it",
            begun.story
        ));
        self.lane.workspace.ensure_own_branch()?;
        let plan = self.adapt_to_branch(begun)?;
        self.perform_giving_up(plan)
    }

    /// Adapts the plan: since the kill, the user may have committed, or git may have removed unreferenced commits.
    fn adapt_to_branch(&mut self, mut begun: GivingUp) -> Result<GivingUp, RunError> {
        let Some(kept) = &mut begun.kept else { return Ok(begun) };
        let Some(head) = self.lane.workspace.tree.head(deadline())? else { return Ok(begun) };
        let has_failure = self.has(&kept.commit)?;
        let has_adopted = match &kept.adopted {
            Some(adopted) => self.has(adopted)?,
            None => true,
        };
        if let Some(adopted) = kept.adopted.as_ref().filter(|_| has_adopted)
            && self.lane.workspace.tree.is_ancestor(&parse_commit(adopted)?, &head, deadline())?
        {
            kept.adopted = None;
            if !has_failure {
                // There was a branch, and the user deleted it.
                begun.kept = None;
            }
            return Ok(begun);
        }
        let is_as_planned = kept.adopted.is_none() || head.as_str() == kept.tip;
        if has_failure && has_adopted && is_as_planned {
            return Ok(begun);
        }
        let mut again = self.plan_giving_up(&begun.story, begun.outcome.reason)?;
        if let (Some(again), Some(kept)) = (&mut again.kept, begun.kept.filter(|_| has_failure)) {
            // Its branch may exist already.
            again.commit = kept.commit;
            again.at = kept.at;
        }
        Ok(again)
    }

    fn has(&self, commit: &str) -> Result<bool, RunError> {
        Ok(self.lane.workspace.tree.has_commit(&parse_commit(commit)?, deadline())?)
    }

    fn next_to_give_up(&mut self) -> Result<Option<(StoryId, GiveUpReason)>, RunError> {
        let expected = self.expected_tasks()?;
        let open = expected.list.stories.iter().filter(|story| {
            let record = self.state.stories.get(&story.id);
            !story.passes && record.is_none_or(|record| record.given_up.is_none())
        });
        let mut given_up = open.filter_map(|story| {
            if self.state.skips.contains(&story.id) {
                return Some((story.id.clone(), GiveUpReason::Skipped));
            }
            if !self.state.scope.contains(&story.id) {
                return None;
            }
            let at_cap = self.options.at_review_cap == AtReviewCap::Fail
                && story.review_status == ReviewStatus::ChangesRequested
                && matches!(self.options.review, tasks::ReviewPolicy::Required { cap }
                    if story.review_count >= cap);
            let stronger = self.options.stronger_help(story.model.as_deref());
            let (attempts, limits) = (self.state.attempts(&story.id), &self.options.attempts);
            match escalation::next(attempts, limits, &stronger) {
                NextAttempt::GiveUp(reason) => Some((story.id.clone(), reason)),
                NextAttempt::Try(_) if at_cap => Some((story.id.clone(), GiveUpReason::ReviewCap)),
                NextAttempt::Try(_) => None,
            }
        });
        Ok(given_up.next())
    }

    fn perform_giving_up(&mut self, mut plan: GivingUp) -> Result<(), RunError> {
        let was_begun = self.lane_state.giving_up.is_some();
        self.lane_state.giving_up = Some(plan.clone());
        self.save()?;
        // The user may have edited it since a killed runner made the plan.
        let expected = self.expected_tasks()?;
        let tasks = self.list_as_before_story(&expected, &plan.story)?;
        if let Some(kept) = plan.kept.clone() {
            plan.outcome.branch = Some(self.keep_failed_work(&plan.story, &kept)?);
        }
        self.lane.workspace.replace_task_list(&tasks)?;
        // Skipped after a kill, where resuming the run matters more.
        if !was_begun {
            self.check_after_revert(&mut plan, &tasks)?;
        }
        let progress = self.add_progress_entry(&plan.story, &plan.outcome);
        let changed: Vec<String> = [self.layout.tasks_name()].into_iter().chain(progress).collect();
        self.lane
            .workspace
            .commit_own(&changed, &format!("ralph: record that {} was given up", plan.story))?;
        self.expect_tasks_text(&tasks)?;
        self.state.counters.retries = 0;
        self.state.failed_last = None;
        self.state.skips.remove(&plan.story);
        let record = self.state.story(&plan.story);
        record.given_up = Some(plan.outcome.clone());
        record.failure = None;
        record.work.clear();
        record.rolled_back = None;
        self.lane_state.giving_up = None;
        let (story, given_up) = (plan.story, plan.outcome);
        let branch = given_up.branch.clone();
        // Emitted before the state is saved: a kill in between repeats the event instead of losing it.
        self.control.sink.emit(LoopEvent::StoryGivenUp { story, given_up });
        self.save()?;
        if let Some(branch) = branch {
            self.push_failure_branch(&branch)?;
        }
        self.control.sink.check()
    }

    /// Returns the name of the branch.
    fn keep_failed_work(&mut self, story: &StoryId, kept: &KeptWork) -> Result<String, RunError> {
        let tip = parse_commit(&kept.tip)?;
        let backed_up = self.lane.workspace.back_up(&failure_branch::backup(story, &tip), &tip);
        let branch = self.make_failure_branch(story, kept)?;
        if let Err(error) = backed_up {
            // The branch has the same commits.
            self.control.sink.warn(format!("cannot create a backup ref for {branch}: {error}"));
        }
        // Submodules that the story moved stay where they are.
        self.lane.workspace.tree.forget_empty_submodules(&mut self.lane.workspace.known.proofs);
        if let Some(adopted) = &kept.adopted {
            let mut keep = self.lane.workspace.baseline.excluded_paths();
            keep.extend(self.layout.list_paths());
            let left =
                self.lane.workspace.tree.adopt(&parse_commit(adopted)?, &keep, deadline())?;
            if !left.is_empty() {
                let list = left.join(", ");
                self.control.sink.warn(format!("left unchanged while giving up {story}: {list}"));
                for path in &left {
                    let proofs = &mut self.lane.workspace.known.proofs;
                    self.lane.workspace.tree.accept_submodule(proofs, path, deadline());
                }
                self.lane.workspace.baseline.left_alone.extend(left);
            }
        }
        Ok(branch)
    }

    /// Tries the next name whenever git refuses one.
    fn make_failure_branch(&self, story: &StoryId, kept: &KeptWork) -> Result<String, RunError> {
        let commit = parse_commit(&kept.commit)?;
        let mut refused = None;
        for name in failure_branch::names(story, &kept.at) {
            match self.lane.workspace.tree.create_branch(&name, &commit, deadline()) {
                Ok(NewBranch::Created | NewBranch::AlreadyThere) => return Ok(name),
                Ok(NewBranch::Taken) => refused = refused.or(Some(VcsError::NameTaken { name })),
                Err(error @ VcsError::Failed { .. }) => refused = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.map_or_else(no_commit, RunError::from))
    }
}

fn parse_commit(id: &str) -> Result<CommitId, RunError> {
    CommitId::new(id).map_err(|_| no_commit())
}
