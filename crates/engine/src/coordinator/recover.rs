//! Continues where an earlier run was interrupted: judges the iteration that a killed runner left unjudged, as that
//! runner would have done.

use std::time::{Duration, Instant};

use events::AgentOutcome;
use project::{LARGEST_TASK_LIST, ProtectedFiles};
use tasks::ReviewVerdict;
use vcs::NewIgnored;

use crate::control::{LoopInput, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::failed_attempt::IterationEnding;
use crate::drive::accept_orders;
use crate::lane::{
    Escalation, Iteration, JOB_LOG, RunningIteration, SessionEnd, SessionHandoff, SettledStep,
    Settlement, StartInput, TakeBackReason, claims_nothing, void_step,
};
use crate::run_files::deadline;
use crate::session::Session;
use crate::{RunError, drive, run_files};

/// Hint for iterations that cannot be judged.
pub(crate) const REMOVE_STATE_HINT: &str = "check with `git log` that the task list is correct, then remove \
                                              .ralph/state.json and .ralph-active";

impl Coordinator<'_> {
    /// Ends the processes of an interrupted run, judges its iteration and finishes giving up its story.
    pub(crate) fn finish_interrupted(&mut self) -> Result<(), RunError> {
        let run_id = self.state.run_id.clone();
        for orphan in run_files::end_orphans(&run_id, self.options.run.limits.grace)? {
            self.control
                .sink
                .leftover_found(format!("{orphan} of run {run_id} was still running; ended it"));
        }
        self.finish_in_work_tree()
    }

    /// No process of the run is running.
    pub(crate) fn finish_in_work_tree(&mut self) -> Result<(), RunError> {
        self.lane.workspace.remove_stale_git_locks()?;
        if let Some(running) = self.lane_state.running.clone() {
            // A late skip order without a story means this one.
            self.control.orders.story = Some(running.assignment.story.clone());
            accept_orders(self)?;
            self.recover(running)?;
            self.control.orders.story = None;
        }
        self.recover_side_session()?;
        self.expect_judged_tasks()?;
        self.finish_rolling_back()?;
        self.finish_giving_up()?;
        self.finish_adding_stories()
    }

    pub(crate) fn recover(&mut self, running: RunningIteration) -> Result<(), RunError> {
        // The checks count as work time of the run.
        self.control.clock.start(Instant::now());
        let known = (running.outcome, running.verdict);
        let mut question = running.question.clone();
        let (taken_back, why) = (running.taken_back.clone(), running.taken_back_for);
        let number = running.assignment.iteration;
        let start = StartInput {
            began_at: None,
            context_window: self.state.context_window,
            clock: &self.control.clock,
            proof_files: &ProtectedFiles::default(),
        };
        let iteration = self.lane.rebuild(running, &start)?.ok_or_else(|| {
            RunError::precondition(
                format!(
                    "iteration {number} was not judged, and the task list from before it is lost"
                ),
                REMOVE_STATE_HINT,
            )
        })?;
        self.lane.put_back_files(&iteration)?;
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
        let session = match known.0 {
            Some(_) => None,
            None => self.session_elsewhere(&iteration)?,
        };
        if let Some(session) = &session {
            question = self.lane.question_of(&iteration, session);
        }
        let end = self.session_end(&iteration, known, session.as_ref(), question.clone())?;
        let outcome = end.outcome;
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
                TakeBackReason::Rejection => Step::Accepted,
            };
            Settlement::of(SettledStep::Step(step))
        };
        let Some((step, outcome)) = settlement.result.judged(outcome) else { return Ok(()) };
        self.conclude(&iteration, step, settlement.amendments())?;
        self.record_proof_commit(&iteration, settlement.proof.is_some())?;
        let (step, question) = self.ask(&iteration, question, (step, outcome))?;
        let step = self.dispute(&iteration, (step, outcome))?;
        let check_time = settlement.check_time;
        let elapsed = session.as_ref().map_or(Duration::ZERO, |session| session.elapsed);
        let session = session.as_ref();
        let reviewers_cost_usd = settlement.reviewers_cost_usd();
        let ending = IterationEnding {
            outcome,
            step,
            session,
            elapsed,
            check_time,
            reviewers_cost_usd,
            question,
        };
        let resets_at = session.and_then(|session| session.conclusion.resets_at);
        let ended =
            self.iteration_result(&iteration.assignment, &settlement, (step, outcome), resets_at);
        self.account(&iteration, &ending)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Kept)?;
        drive::next(self, LoopInput::Ended(ended))?;
        Ok(())
    }

    /// A session on another machine goes on without the runner.
    fn session_elsewhere(&mut self, iteration: &Iteration) -> Result<Option<Session>, RunError> {
        if self.control.executor.session_jobs().is_none() {
            if iteration.folder.join(JOB_LOG).exists() {
                self.control.sink.warn(format!(
                    "{} was a job on another machine, but this run has no --on: its result is not used \
                     (see `git for-each-ref refs/ralph/results/`)",
                    iteration.label()
                ));
            }
            return Ok(None);
        }
        self.lane.follow_again(iteration, self.state.context_window, &mut self.control)
    }

    fn session_end(
        &mut self,
        iteration: &Iteration,
        (outcome, verdict): (Option<AgentOutcome>, Option<ReviewVerdict>),
        session: Option<&Session>,
        question: Option<String>,
    ) -> Result<SessionEnd, RunError> {
        let Some(session) = session else {
            let outcome = outcome.unwrap_or(AgentOutcome::RunnerDied);
            return Ok(SessionEnd { outcome, verdict, handoff: SessionHandoff::default() });
        };
        let verdict = self.lane.verdict_in_message(iteration, &session.conclusion);
        self.count_story_session(iteration, session);
        self.record_session(session, verdict, question);
        let handoff = self.lane.apply_handoff(iteration, session)?;
        Ok(SessionEnd { outcome: session.conclusion.outcome, verdict, handoff })
    }
}
