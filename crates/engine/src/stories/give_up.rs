//! A story that failed for good: its work goes to a branch of its own, the run's branch back to where
//! the story began, and the run goes on without it.
//!
//! What is to be done is decided and on disk before anything is done, and every part of it can be done
//! again: a runner that is killed in here leaves it to the next one.

mod checks;
mod plan;

use serde::{Deserialize, Serialize};
use tasks::{ReviewStatus, StoryId};
use vcs::{CommitId, NewBranch, VcsError};

use crate::options::AtReviewCap;
use crate::run_files::deadline;
use crate::stories::escalation::{self, Next};
use crate::stories::failure_branch;
use crate::stories::run::Run;
use crate::stories::settle::no_commit;
use crate::{GiveUpReason, GivenUp, LoopEvent, RunError};

/// What is being done, as far as a later runner has to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivingUp {
    pub(crate) story: StoryId,
    /// As it will be told.
    pub(crate) outcome: GivenUp,
    /// None if the story left no commit.
    pub(crate) kept: Option<KeptWork>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptWork {
    /// The tip of the run's branch before.
    pub(crate) tip: String,
    /// What the failure branch holds.
    pub(crate) commit: String,
    /// What the run's branch becomes; none if it stays.
    pub(crate) adopted: Option<String>,
    pub(crate) at: String,
}

impl Run<'_> {
    /// Every story that has had all its chances, or is to be skipped.
    pub(crate) fn give_up_failed(&mut self) -> Result<(), RunError> {
        while let Some((story, reason)) = self.given_up()? {
            self.stand_on_own_branch()?;
            let plan = self.plan_given_up(&story, reason)?;
            self.perform_given_up(plan)?;
        }
        Ok(())
    }

    /// What a killed runner had begun. Comes before anybody looks at the work tree, in which half of
    /// it may be done.
    pub(crate) fn finish_giving_up(&mut self) -> Result<(), RunError> {
        let Some(begun) = self.state.giving_up.clone() else { return Ok(()) };
        self.sink.found(format!("story {} was being set aside; finishing that", begun.story));
        self.stand_on_own_branch()?;
        let plan = self.for_branch_as_it_is(begun)?;
        self.perform_given_up(plan)
    }

    /// Somebody may have committed since, or had git clean up, and nobody referred to the commits yet.
    fn for_branch_as_it_is(&mut self, mut begun: GivingUp) -> Result<GivingUp, RunError> {
        let Some(kept) = &mut begun.kept else { return Ok(begun) };
        let Some(head) = self.tree.head(deadline())? else { return Ok(begun) };
        let has_failure = self.has(&kept.commit)?;
        let has_adopted = match &kept.adopted {
            Some(adopted) => self.has(adopted)?,
            None => true,
        };
        if let Some(adopted) = kept.adopted.as_ref().filter(|_| has_adopted)
            && self.tree.is_ancestor(&known(adopted)?, &head, deadline())?
        {
            kept.adopted = None;
            if !has_failure {
                // There was a branch, and somebody wanted none.
                begun.kept = None;
            }
            return Ok(begun);
        }
        let is_as_planned = kept.adopted.is_none() || head.as_str() == kept.tip;
        if has_failure && has_adopted && is_as_planned {
            return Ok(begun);
        }
        let mut again = self.plan_given_up(&begun.story, begun.outcome.reason)?;
        if let (Some(again), Some(kept)) = (&mut again.kept, begun.kept.filter(|_| has_failure)) {
            // Its branch may be there already.
            again.commit = kept.commit;
            again.at = kept.at;
        }
        Ok(again)
    }

    fn has(&self, commit: &str) -> Result<bool, RunError> {
        Ok(self.tree.has_commit(&known(commit)?, deadline())?)
    }

    fn given_up(&mut self) -> Result<Option<(StoryId, GiveUpReason)>, RunError> {
        let standing = self.expected_tasks()?;
        let open = standing.list.stories.iter().filter(|story| {
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
            match escalation::next(self.state.attempts(&story.id), &self.options.attempts) {
                Next::GiveUp(reason) => Some((story.id.clone(), reason)),
                Next::Try(_) if at_cap => Some((story.id.clone(), GiveUpReason::ReviewCap)),
                Next::Try(_) => None,
            }
        });
        Ok(given_up.next())
    }

    fn perform_given_up(&mut self, mut plan: GivingUp) -> Result<(), RunError> {
        let was_begun = self.state.giving_up.is_some();
        self.state.giving_up = Some(plan.clone());
        self.state.save(self.layout)?;
        // The user may have edited it since a killed runner made the plan.
        let standing = self.expected_tasks()?;
        let tasks = self.list_as_before_story(&standing, &plan.story)?;
        if let Some(kept) = plan.kept.clone() {
            plan.outcome.branch = Some(self.keep_failed_work(&plan.story, &kept)?);
        }
        self.replace_task_list(&tasks)?;
        // After a kill the others are better off with a run that begins.
        if !was_begun {
            self.check_without(&mut plan, &tasks)?;
        }
        let progress = self.enter_in_progress(&plan.story, &plan.outcome);
        let changed: Vec<String> = [self.layout.tasks_name()].into_iter().chain(progress).collect();
        self.commit_own(&changed, &format!("ralph: note that {} is set aside", plan.story))?;
        self.expect_tasks_text(&tasks)?;
        self.state.counters.retries = 0;
        self.state.failed_last = None;
        self.state.skips.remove(&plan.story);
        let record = self.state.story(&plan.story);
        record.given_up = Some(plan.outcome.clone());
        record.failure = None;
        record.work.clear();
        record.rolled_back = None;
        self.state.giving_up = None;
        let (story, given_up) = (plan.story, plan.outcome);
        let branch = given_up.branch.clone();
        // Rather told twice than never.
        self.sink.emit(LoopEvent::StoryGivenUp { story, given_up });
        self.state.save(self.layout)?;
        if let Some(branch) = branch {
            self.push_failure_branch(&branch)?;
        }
        self.sink.check()
    }

    /// The name of the branch.
    fn keep_failed_work(&mut self, story: &StoryId, kept: &KeptWork) -> Result<String, RunError> {
        let tip = known(&kept.tip)?;
        let backed_up = self.back_up(&failure_branch::backup(story, &tip), &tip);
        let branch = self.make_failure_branch(story, kept)?;
        if let Err(error) = backed_up {
            // The branch has the same commits.
            self.sink.warn(format!("there is no backup of {branch}: {error}"));
        }
        // What it moved elsewhere stays there.
        self.tree.forget_empty_submodules(&mut self.repository.proofs);
        if let Some(adopted) = &kept.adopted {
            let mut keep = self.state.not_ours();
            keep.extend(self.layout.list_paths());
            let left = self.tree.adopt(&known(adopted)?, &keep, deadline())?;
            if !left.is_empty() {
                let list = left.join(", ");
                self.sink.warn(format!("left as it is while {story} was set aside: {list}"));
                for path in &left {
                    let proofs = &mut self.repository.proofs;
                    self.tree.accept_submodule(proofs, path, deadline());
                }
                self.state.left_alone.extend(left);
            }
        }
        Ok(branch)
    }

    /// A name that git refuses, whatever for, is not the end.
    fn make_failure_branch(&self, story: &StoryId, kept: &KeptWork) -> Result<String, RunError> {
        let commit = known(&kept.commit)?;
        let mut refused = None;
        for name in failure_branch::names(story, &kept.at) {
            match self.tree.create_branch(&name, &commit, deadline()) {
                Ok(NewBranch::Created | NewBranch::AlreadyThere) => return Ok(name),
                Ok(NewBranch::Taken) => refused = refused.or(Some(VcsError::NameTaken { name })),
                Err(error @ VcsError::Failed { .. }) => refused = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.map_or_else(no_commit, RunError::from))
    }
}

/// A commit that the plan names.
fn known(id: &str) -> Result<CommitId, RunError> {
    CommitId::new(id).map_err(|_| no_commit())
}
