//! Books an ended iteration: its result, its commits, its failed attempt, and the event that reports it.

use events::{IterationEnded, IterationStatus, LoopEvent};
use tasks::{Mode, TaskList};
use vcs::CommitId;

use crate::RunError;
use crate::control::Step;
use crate::coordinator::core::Coordinator;
use crate::coordinator::failed_attempt::IterationEnding;
use crate::drive::outcome::{self};
use crate::drive::{OutcomeInput, iteration_status};
use crate::lane::{
    Assignment, Evidence, Iteration, IterationFailure, OwnCommits, RollbackPoint, WorkDone, handoff,
};
use crate::memory::WorkResult;
use crate::run_files::deadline;

impl Coordinator<'_> {
    /// Writes the iteration's result, emits its event and clears `running`.
    pub(crate) fn account(
        &mut self,
        iteration: &Iteration,
        ending: &IterationEnding<'_>,
    ) -> Result<(), RunError> {
        let IterationEnding { outcome, step, session, elapsed, check_time, .. } = *ending;
        let (policy, retries) = (&self.options.run.policy, self.state.counters.retries);
        let status = iteration_status::of(outcome, step, policy, retries);
        let cost = session.and_then(|s| s.conclusion.result.as_ref()?.cost_usd).unwrap_or_default()
            + ending.reviewers_cost_usd;
        let account = OutcomeInput {
            folder: &iteration.folder,
            iteration: iteration.assignment.iteration,
            attempt: iteration.assignment.attempt,
            mode: iteration.assignment.mode.into(),
            story: Some(&iteration.assignment.story),
            session: &iteration.session,
            checkpoint: iteration.checkpoint.as_str(),
            status,
            agent: outcome,
            check_seconds: check_time.as_secs_f64(),
        };
        outcome::write(&account, session);
        self.record_result(iteration, ending, status)?;
        let list = &self.expected_tasks()?.list;
        let done = list.stories.iter().filter(|story| story.passes).count() as u64;
        let assignment = &iteration.assignment;
        // For display only: a git error must not lose a judged iteration.
        let commit = self.lane.workspace.tree.head(deadline()).ok().flatten();
        self.control.sink.emit(LoopEvent::IterationEnded(IterationEnded {
            iteration: assignment.iteration,
            mode: assignment.mode.into(),
            story: Some(assignment.story.clone()),
            status,
            seconds: elapsed.as_secs_f64(),
            agent_seconds: session.map_or(0.0, |session| session.elapsed.as_secs_f64()),
            check_seconds: check_time.as_secs_f64(),
            cost_usd: cost,
            total_cost_usd: self.state.counters.cost_usd,
            done,
            stories: list.stories.len() as u64,
            commit: commit.map(|commit| commit.to_string()),
        }));
        Ok(())
    }

    /// Copies the notices of a split story to its parts, for their reviewers.
    fn copy_notices_to_parts(&mut self, before: &TaskList) -> Result<(), RunError> {
        let expected = self.expected_tasks()?;
        for part in &expected.list.stories {
            let split = part.split_from.as_ref().filter(|id| expected.list.story(id).is_none());
            let split = split.filter(|_| before.story(&part.id).is_none());
            let Some(record) = split.and_then(|id| self.state.stories.get(id)).cloned() else {
                continue;
            };
            self.state.story(&part.id).inherit(record);
        }
        Ok(())
    }

    fn record_result(
        &mut self,
        iteration: &Iteration,
        ending: &IterationEnding<'_>,
        status: IterationStatus,
    ) -> Result<(), RunError> {
        // Before an accepted review clears them.
        self.store_notices();
        let story = iteration.assignment.story.clone();
        let judged = self.judged.as_ref().map(|judged| &judged.list);
        let work = self.lane.work_done(iteration, judged)?;
        let record = self.state.story(&story);
        record.iterations += 1;
        match ending.step {
            Step::Accepted => record.unsubmitted = 0,
            Step::None if ending.outcome.is_answer() => record.unsubmitted += 1,
            Step::None | Step::Asked | Step::ChecksFailed | Step::Undone | Step::Void => {}
        }
        let evidence = self.evidence(iteration, ending, &work);
        let result = work_result(ending, evidence.as_ref(), iteration.rollback_point.as_ref());
        self.state.memory.settle(&handoff::file_of(self.layout, iteration), result);
        match result {
            WorkResult::RolledBack => self.plan_roll_back(iteration),
            WorkResult::Kept | WorkResult::NotAccepted => {
                self.record_work(iteration, &work);
                self.state.story(&story).rolled_back = None;
            }
        }
        if let (Some(evidence), Step::None) = (&evidence, ending.step) {
            let other = Some(evidence.output.join("\n"));
            let failure = IterationFailure { other, ..Default::default() };
            self.record_failure(&iteration.assignment, failure)?;
        }
        let record = self.state.story(&story);
        if status == IterationStatus::Accepted {
            record.failure = None;
            if iteration.assignment.mode == Mode::Review {
                record.weakened.clear();
                record.notices.clear();
            }
        }
        let failed = record.failure.is_some();
        if let Some(evidence) = evidence {
            // Its outcome alone counts neither as a step nor as a failure.
            if ending.step == Step::None && ending.outcome.is_answer() {
                self.state.counters.failed += 1;
            }
            self.record_attempt(&iteration.assignment, evidence, work.files);
        }
        if self.is_done(&story) {
            self.state.story(&story).pull_feedback = None;
            self.report_help_ended(&story, true);
            self.forget_outputs(&story);
        }
        self.copy_notices_to_parts(&iteration.before.list)?;
        self.state.failed_last = failed.then_some(story);
        self.lane_state.running = None;
        Ok(())
    }

    /// Records the commits, and the weakened tests for the next review.
    pub(crate) fn record_work(&mut self, iteration: &Iteration, work: &WorkDone) {
        let assignment = &iteration.assignment;
        self.record_commits(iteration, &iteration.checkpoint, &work.head);
        let before = iteration.before.list.story(&assignment.story);
        if let Some(before) = before.filter(|story| story.has_pull_request_feedback()) {
            let feedback = before.review_feedback.clone();
            self.state.story(&assignment.story).pull_feedback = Some(feedback);
        }
        if work.weakened.is_empty() {
            return;
        }
        self.state.story(&assignment.story).weakened.extend(work.weakened.iter().cloned());
        self.control.sink.emit(LoopEvent::TestsWeakened {
            story: assignment.story.clone(),
            iteration: assignment.iteration,
            files: work.weakened.clone(),
        });
    }

    pub(crate) fn record_commits(&mut self, iteration: &Iteration, from: &CommitId, to: &CommitId) {
        if from == to {
            return;
        }
        let (from, to) = (from.to_string(), to.to_string());
        let work = &mut self.state.story(&iteration.assignment.story).work;
        match work.last_mut() {
            Some(last) if last.to == from => last.to = to,
            // Recorded already by a runner that was killed right after.
            Some(last) if last.to == to => {}
            _ => work.push(OwnCommits { from, to }),
        }
    }

    /// Records the failure for the next prompt, on disk.
    pub(crate) fn record_failure(
        &mut self,
        assignment: &Assignment,
        failure: IterationFailure,
    ) -> Result<(), RunError> {
        self.state.story(&assignment.story).failure = Some(IterationFailure {
            iteration: assignment.iteration,
            mode: Some(assignment.mode),
            story: Some(assignment.story.clone()),
            ..failure
        });
        self.save()
    }
}

/// What happens to the iteration's work. A review that requests changes is accepted, but still a failed attempt
/// at its story.
fn work_result(
    ending: &IterationEnding<'_>,
    evidence: Option<&Evidence>,
    rollback_point: Option<&RollbackPoint>,
) -> WorkResult {
    // The next session must not start from the work of an interrupted one.
    let is_cut_off = ending.step == Step::None && !ending.outcome.is_answer();
    match (evidence, rollback_point) {
        (_, Some(_)) if evidence.is_some() || is_cut_off => WorkResult::RolledBack,
        (Some(_), _) if ending.step != Step::Accepted => WorkResult::NotAccepted,
        _ if ending.step == Step::Void => WorkResult::NotAccepted,
        _ => WorkResult::Kept,
    }
}
