//! The final review: when every story is done, a fresh session of the reviewer judges all work of the run together. Its
//! findings become stories, or are reported.
//!
//! `rounds` has its state, `session` the session.

mod rounds;
mod session;

use std::collections::BTreeSet;

use events::{FinalReviewOutcome, RunEnd};
use project::orders::Order;
use tasks::{Selection, StoryId, TaskList};
use vcs::{CommitId, WorkTree};

pub(crate) use rounds::{FinalReviewState, MESSAGE, with_drafts};

use crate::RunError;
use crate::control::{
    Counters, IterationAttempt, IterationResult, NextWork, RunControl, UserInstructions,
};
use crate::coordinator::core::Coordinator;
use crate::coordinator::state::SavedRun;
use crate::drive::{Drivable, Loop, drive};
use crate::lane::TaskText;
use crate::options::FinalReviewUse;
use crate::run_files::deadline;

impl Coordinator<'_> {
    /// Works on stories, then reviews all of them, and again on the stories that its findings become.
    pub(crate) fn drive_to_the_end(&mut self) -> Result<RunEnd, RunError> {
        loop {
            self.moving_base(Self::add_stories_of_findings)?;
            let end = drive(self)?;
            if end != RunEnd::Complete || !self.is_final_review_due()? {
                return Ok(end);
            }
            let end = self.review_all()?;
            let is_over = !self.state.final_review.has_new_stories() && self.is_complete()?;
            if end != RunEnd::Complete || is_over {
                return Ok(end);
            }
        }
    }

    fn is_complete(&mut self) -> Result<bool, RunError> {
        Ok(matches!(self.select_next()?, Selection::Complete))
    }

    /// Whether all stories are done and their work was not reviewed as a whole since.
    pub(crate) fn is_final_review_due(&mut self) -> Result<bool, RunError> {
        let is_wanted =
            self.options.final_review != FinalReviewUse::Off && self.options.only_story.is_none();
        let Some(from) = self.state.final_review.began_at.clone().filter(|_| is_wanted) else {
            return Ok(false);
        };
        let tip = match &self.state.separate {
            Some(separate) => Some(separate.tip.clone()),
            None => self.lane.workspace.tree.head(deadline())?.map(|head| head.to_string()),
        };
        Ok(tip != Some(from) && self.state.final_review.is_due())
    }

    /// Retries and waits as for an iteration, and within the same limits.
    pub(crate) fn review_all(&mut self) -> Result<RunEnd, RunError> {
        // Until it has ended, the next runner continues the run.
        self.state.final_review.is_open = true;
        self.save()?;
        drive(&mut ReviewOfAll { run: self, is_over: false })
    }

    /// Records the commit from which the run's branch began, for a new run.
    pub(crate) fn find_start_of_branch(
        &mut self,
        last: Option<&SavedRun>,
        project: &WorkTree,
    ) -> Result<(), RunError> {
        let is_known = self.state.final_review.began_at.is_some();
        if self.options.final_review == FinalReviewUse::Off || is_known {
            return Ok(());
        }
        let branch = &self.lane.workspace.baseline.branch;
        let Some(tip) = project.branch_tip(branch, deadline())? else { return Ok(()) };
        let known = last.filter(|last| last.baseline.branch == *branch);
        let known = known.and_then(|last| last.run.final_review.began_at.as_deref());
        // An agent can write other commits into the state, and move the base.
        let is_before = |commit: &CommitId| {
            let is_ancestor = project.is_ancestor(commit, &tip, deadline());
            is_ancestor.is_ok_and(|is_ancestor| is_ancestor)
        };
        let known = known.and_then(|known| CommitId::new(known).ok()).filter(is_before);
        let from = match (known, &self.state.base) {
            (Some(known), _) => Some(known),
            (None, Some(base)) => match project.branch_tip(base, deadline())? {
                Some(base) => project.merge_base(&base, &tip, deadline())?,
                None => None,
            },
            (None, None) => None,
        };
        self.state.final_review.began_at = Some(from.unwrap_or(tip).to_string());
        Ok(())
    }

    /// Ids that no new story may have: those of the list, and of stories that left it.
    fn taken_ids(&self, list: &TaskList) -> BTreeSet<StoryId> {
        let of_list = list.stories.iter().map(|story| &story.id);
        let earlier = self.state.final_review.findings();
        let earlier = earlier.into_iter().filter_map(|finding| finding.story);
        of_list.chain(self.state.stories.keys()).cloned().chain(earlier).collect()
    }

    /// Adds the stories of the last final review to the list and commits it.
    pub(crate) fn add_stories_of_findings(&mut self) -> Result<(), RunError> {
        let drafts = self.state.final_review.drafts();
        if drafts.is_empty() {
            return Ok(());
        }
        let expected = self.expected_tasks()?;
        let text = with_drafts(&expected.text, &drafts)?;
        if text != expected.text {
            let list = TaskText::accepted(self.layout, text.as_bytes())?;
            self.lane.workspace.replace_task_list(&text)?;
            self.lane.report_new_stories(&expected.list, &list.list);
            self.expect_tasks(list);
        }
        // Also if a killed runner did not commit it.
        self.lane.workspace.commit_own(&[self.layout.tasks_name()], MESSAGE)?;
        self.state.final_review.added();
        self.save()
    }

    /// Adds stories that a killed runner may have left uncommitted in the list.
    pub(crate) fn finish_adding_stories(&mut self) -> Result<(), RunError> {
        let is_in_clone = self.options.run.lane.is_some() || self.state.separate.is_some();
        if is_in_clone || !self.state.final_review.has_new_stories() {
            return Ok(());
        }
        let now = self.lane.workspace.tree.state(deadline())?;
        match now.branch.as_deref() == Some(self.lane.workspace.baseline.branch.as_str()) {
            true => self.add_stories_of_findings(),
            false => Ok(()),
        }
    }
}

/// The loop of a final review: its only work is that review.
struct ReviewOfAll<'r, 'a> {
    run: &'r mut Coordinator<'a>,
    is_over: bool,
}

impl<'a> Loop<'a> for ReviewOfAll<'_, 'a> {
    fn control(&mut self) -> &mut RunControl<'a> {
        self.run.control()
    }

    fn counters(&mut self) -> &mut Counters {
        self.run.counters()
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        self.run.instructions()
    }

    fn is_unjudged(&self) -> bool {
        self.run.is_unjudged()
    }
}

impl<'a> Drivable<'a> for ReviewOfAll<'_, 'a> {
    type Work = ();

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        let order = Order::Skip { story };
        self.run.control.sink.refuse(order, "every story is done; the final review is running");
        Ok(())
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn save(&mut self) -> Result<(), RunError> {
        self.run.save()
    }

    fn find_work(&mut self) -> Result<NextWork<()>, RunError> {
        Ok(if self.is_over { NextWork::Complete } else { NextWork::Work(()) })
    }

    fn iterate(&mut self, attempt: IterationAttempt, (): ()) -> Result<IterationResult, RunError> {
        // The user may have edited the list meanwhile: new stories come first.
        if !self.run.is_complete()? {
            self.is_over = true;
            return Ok(IterationResult::stopped());
        }
        let (result, outcome) = self.run.review_in_session(attempt)?;
        self.is_over = outcome.is_some_and(|outcome| outcome != FinalReviewOutcome::Void);
        Ok(result)
    }
}
