//! Merges the approved work of a lane into the run's branch, or opens its story again; keeps the work of a story that is
//! given up.

use std::sync::Arc;

use events::{Gate, LoopEvent};
use tasks::{Mode, StoryId};
use vcs::{CommitId, TreeId};

use crate::RunError;
use crate::clones::SetupResult;
use crate::control::IterationAttempt;
use crate::coordinator::CheckedBase;
use crate::lane::{Assignment, Evidence, IterationFailure, OwnCommits, StoryWork};
use crate::parallel::integration::{ApprovedWork, Merged};
use crate::parallel::lane_run::LaneRun;
use crate::parallel::shared_run::{Integrator, Turn};
use crate::parallel::verification::{MergedResult, MergedWork};
use crate::run_files::deadline;

pub(crate) enum IntegrationEnd {
    Merged,
    Reopened,
    Parked,
    /// The user stopped the run.
    Interrupted,
}

impl LaneRun<'_> {
    /// The commit of the story that was judged last.
    fn judged_work(&self, story: &StoryId) -> Result<ApprovedWork, RunError> {
        let record = self.coordinator.state.stories.get(story);
        let judged = record.and_then(|record| CommitId::new(&record.work.last()?.to).ok());
        let commit = match judged {
            Some(commit) => commit,
            None => self.head()?,
        };
        Ok(ApprovedWork { story: story.clone(), commit, start: self.start()? })
    }

    pub(crate) fn integrate(&mut self, story: &StoryId) -> Result<IntegrationEnd, RunError> {
        let work = self.judged_work(story)?;
        let queued = LoopEvent::StoryQueued { story: story.clone() };
        self.coordinator.control.sink.emit(queued);
        self.shared.state().separate().lanes[self.lane].is_approved = true;
        let shared = Arc::clone(&self.shared);
        let Some(mut turn) = shared.turn(self.lane) else {
            return Ok(IntegrationEnd::Interrupted);
        };
        let tip = turn.tip()?;
        let (story_id, branch) = (story.clone(), self.branch.clone());
        let begun = LoopEvent::MergeStarted { story: story_id, branch };
        self.coordinator.control.sink.emit(begun);
        let sink = &self.coordinator.control.sink;
        let Integrator { integration, verification } = &mut *turn.integrator;
        if integration.is_merged(&work, &tip)? {
            self.merged(&work, &tip)?;
            return Ok(IntegrationEnd::Merged);
        }
        self.fetch(&work.commit, &self.kept_as(story))?;
        let clone = verification.require_own_files(sink)?;
        let (commit, list) = match integration.merge(clone, &tip, &work)? {
            Merged::Clean { commit, list } => (commit, list),
            Merged::Conflict { feedback, files } => {
                self.reopen(&turn, &tip, &work, files, &feedback)?;
                return Ok(IntegrationEnd::Reopened);
            }
        };
        let run_dir = self.coordinator.layout.run_dir(&self.coordinator.state.run_id);
        let folder = run_dir.join(format!("merge-{story}"));
        let state = self.shared.state();
        let (is_last, known) = (state.is_last_open(story, &list.list), state.run.known_failures());
        drop(state);
        let criteria = list.list.story(story).map_or(&[][..], |story| &story.acceptance_criteria);
        let known = &known.not_named_in(criteria);
        let since = Some(&tip).filter(|_| !is_last);
        let record = self.coordinator.state.stories.get(story);
        let merged = MergedWork {
            story,
            commit: &commit,
            since,
            list: &list,
            known,
            proof: record.and_then(|record| record.proof.as_ref()),
            iteration: self.coordinator.state.counters.iterations,
            branch: &self.branch,
        };
        let feedback = match verification.check(&merged, &folder)? {
            MergedResult::Passed(commands) => {
                self.credit(story, &commands);
                turn.advance(&tip, &commit, list)?;
                self.merged(&work, &commit)?;
                return Ok(IntegrationEnd::Merged);
            }
            MergedResult::Interrupted => return Ok(IntegrationEnd::Interrupted),
            MergedResult::Failed(feedback) => feedback,
        };
        let files = self.project.tree_id(&commit, deadline())?;
        self.reopen(&turn, &tip, &work, files, &feedback)?;
        Ok(IntegrationEnd::Reopened)
    }

    /// What the checks of the merged work fixed may not fail again.
    fn credit(&self, story: &StoryId, passed: &[String]) {
        let mut state = self.shared.state();
        let Some(base) = &mut state.run.checked_base else { return };
        for command in base.known.remove_passed(passed) {
            let story = story.clone();
            let fixed = LoopEvent::KnownFailureFixed { story, command };
            self.coordinator.control.sink.emit(fixed);
        }
    }

    /// The run's branch has the work, at `tip`.
    fn merged(&mut self, work: &ApprovedWork, tip: &CommitId) -> Result<(), RunError> {
        self.coordinator.control.sink.emit(LoopEvent::StoryMerged {
            story: work.story.clone(),
            branch: self.branch.clone(),
            commit: tip.to_string(),
        });
        // Its own ref is needed no longer: the branch contains every commit of the work.
        self.project.remove_ref(&self.kept_as(&work.story), deadline())?;
        let memory = &self.coordinator.state.memory;
        self.shared.state().run.memory.add_handoffs_of(memory, &work.story);
        self.leave_story()
    }

    /// Opens the story again, with the run's branch merged into its work.
    fn reopen(
        &mut self,
        turn: &Turn<'_, '_>,
        tip: &CommitId,
        work: &ApprovedWork,
        files: TreeId,
        feedback: &str,
    ) -> Result<(), RunError> {
        let reopened = turn.integrator.integration.reopened(tip, work, files, feedback)?;
        let story = &work.story;
        self.project.set_reference(&self.kept_as(story), &reopened, deadline())?;
        if let SetupResult::Failed(why) = self.reset_clone(&reopened)? {
            self.coordinator.control.sink.warn(format!("setup of the lane failed: {why}"));
        }
        let mut state = self.shared.state();
        let saved = &mut state.separate().lanes[self.lane];
        (saved.start, saved.is_approved) = (tip.to_string(), false);
        let known = state.run.known_failures();
        state.lanes[self.lane].known = known.clone();
        drop(state);
        self.coordinator.state.checked_base = Some(CheckedBase { commit: None, known });
        let record = self.coordinator.state.story(story);
        // The next review sees the changes since the run's branch.
        record.began_at = Some(tip.to_string());
        record.work = vec![OwnCommits { from: tip.to_string(), to: reopened.to_string() }];
        let iteration = self.coordinator.state.counters.iterations;
        let work = StoryWork { mode: Mode::Review, story: story.clone() };
        let assignment = Assignment::new(IterationAttempt { iteration, attempt: 1 }, work);
        let evidence = Evidence::from_text(Gate::Merge, feedback);
        self.coordinator.record_attempt(&assignment, evidence, Vec::new());
        let failure = IterationFailure { other: Some(feedback.to_owned()), ..Default::default() };
        self.coordinator.record_failure(&assignment, failure)
    }

    /// Adds the failure branch to the project and the state of the story to the run's branch.
    pub(crate) fn give_up(&mut self, story: &StoryId) -> Result<IntegrationEnd, RunError> {
        self.keep_failure_branch(story)?;
        let (start, head) = (self.start()?, self.head()?);
        if head != start {
            let shared = Arc::clone(&self.shared);
            let Some(turn) = shared.turn(self.lane) else {
                return Ok(IntegrationEnd::Interrupted);
            };
            let tip = turn.tip()?;
            self.fetch(&head, &self.kept_as(story))?;
            let work = ApprovedWork { story: story.clone(), commit: head, start };
            let (commit, list) = turn.integrator.integration.with_lists_of(&tip, &work)?;
            if commit != tip {
                turn.advance(&tip, &commit, list)?;
            }
            // Its commits are on the failure branch, so `lanes prune` may remove the clone.
            let clone = &self.coordinator.lane.workspace.tree;
            clone.start_branch(&self.branch, &commit, deadline())?;
            self.project.remove_ref(&self.kept_as(story), deadline())?;
        }
        self.leave_story()?;
        Ok(IntegrationEnd::Merged)
    }

    /// Frees the lane while the story waits for an answer.
    pub(crate) fn park(&mut self, story: &StoryId) -> Result<IntegrationEnd, RunError> {
        let head = self.head()?;
        if head != self.start()? {
            self.fetch(&head, &self.kept_as(story))?;
        }
        self.shared.state().park(self.lane);
        self.leave_story()?;
        Ok(IntegrationEnd::Parked)
    }

    fn keep_failure_branch(&mut self, story: &StoryId) -> Result<(), RunError> {
        let given_up = self.coordinator.state.stories.get(story);
        let branch = given_up.and_then(|record| record.given_up.as_ref()?.branch.clone());
        let Some(branch) = branch else { return Ok(()) };
        let clone = &self.coordinator.lane.workspace.tree;
        let Some(commit) = clone.branch_tip(&branch, deadline())? else { return Ok(()) };
        let (top, to) = (clone.top(), format!("refs/heads/{branch}"));
        Ok(self.project.fetch_branch(top, &branch, &commit, &to, deadline())?)
    }
}
