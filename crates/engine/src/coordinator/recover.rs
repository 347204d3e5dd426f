//! Judges the iteration that a killed runner left unjudged, as that runner would have done.

use std::time::{Duration, Instant};

use events::AgentOutcome;
use project::LARGEST_TASK_LIST;
use vcs::NewIgnored;

use crate::control::{IterationResult, LoopInput, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::failed_attempt::IterationEnding;
use crate::lane::{
    Escalation, RunningIteration, SessionEnd, SessionHandoff, SettledStep, Settlement, StartInput,
    TakeBackReason, claims_nothing, void_step,
};
use crate::run_files::deadline;
use crate::{RunError, drive};

/// Hint for iterations that cannot be judged.
pub(crate) const REMOVE_STATE_HINT: &str = "check with `git log` that the task list is correct, then remove \
                                              .ralph/state.json and .ralph-active";

impl Coordinator<'_> {
    pub(crate) fn recover(&mut self, running: RunningIteration) -> Result<(), RunError> {
        // The checks count as work time of the run.
        self.control.clock.start(Instant::now());
        let outcome = running.outcome.unwrap_or(AgentOutcome::RunnerDied);
        let handoff = SessionHandoff::default();
        let end = SessionEnd { outcome, verdict: running.verdict, handoff };
        let (taken_back, why) = (running.taken_back.clone(), running.taken_back_for);
        let number = running.assignment.iteration;
        let start = StartInput {
            began_at: None,
            context_window: self.state.context_window,
            clock: &self.control.clock,
        };
        let iteration = self.lane.rebuild(running, &start)?.ok_or_else(|| {
            RunError::precondition(
                format!(
                    "iteration {number} was not judged, and the task list from before it is lost"
                ),
                REMOVE_STATE_HINT,
            )
        })?;
        self.lane.workspace.restore_folder_permissions(&iteration.work());
        let now = self.lane.workspace.tree.state(deadline())?;
        if now.branch.as_deref() != Some(self.lane.workspace.baseline.branch.as_str())
            && !now.dirty.is_empty()
        {
            return Err(RunError::precondition(
                format!(
                    "{} was not judged yet, but its branch ({}) is not checked out, and there are \
                     uncommitted changes",
                    iteration.label(),
                    self.lane.workspace.baseline.branch
                ),
                "commit or stash your own changes, switch to that branch, and try again",
            ));
        }
        self.control.sink.leftover_found(format!(
            "{} of run {} was interrupted; judging its work",
            iteration.label(),
            self.state.run_id
        ));
        let before = &iteration.before.list;
        let is_decided =
            !taken_back.is_empty() && taken_back.iter().all(|taken| claims_nothing(taken, before));
        let settlement = if !is_decided {
            let context = self.story_context(&iteration.assignment.story, Escalation::default());
            self.settle(&iteration, &end, &context)?
        } else {
            let left = bounded_read::read_file(&self.layout.tasks(), LARGEST_TASK_LIST);
            let text = iteration.corrected(&left.unwrap_or_default()).text;
            let list = self.lane.apply_taken_back(&iteration, text, &taken_back)?;
            self.expect_tasks(list);
            let step = match why {
                TakeBackReason::Checks => Step::ChecksFailed,
                TakeBackReason::Verdict => void_step(outcome),
            };
            Settlement::of(SettledStep::Step(step))
        };
        let Some((step, outcome)) = settlement.result.judged(outcome) else { return Ok(()) };
        self.conclude(&iteration, step, settlement.amendments())?;
        let check_time = settlement.check_time;
        let (session, elapsed) = (None, Duration::ZERO);
        let ending = IterationEnding { outcome, step, session, elapsed, check_time };
        self.account(&iteration, &ending)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Kept)?;
        let ended = IterationResult { outcome, step, resets_at: None };
        drive::next(self, LoopInput::Ended(ended))?;
        Ok(())
    }
}
