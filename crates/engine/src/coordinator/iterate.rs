//! One iteration of the story loop: a lane prepares it, runs the session and settles it; the run saves what must
//! survive a kill in between.

use std::time::Instant;

use events::{ClaimBasis, IterationStarted, LoopEvent};
use project::record_protected;
use serde_json::Value;
use tasks::{Mode, ReviewFields, ReviewVerdict, Selection, StoryId};
use uuid::Uuid;
use vcs::NewIgnored;

use crate::RunError;
use crate::control::{IterationResult, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::failed_attempt::IterationEnding;
use crate::lane::{
    Assignment, Escalation, Iteration, PendingCorrection, SavedReviewFields, SessionEnd,
    Settlement, StartInput, StoryContext,
};
use crate::session::Session;

impl Coordinator<'_> {
    /// `began` includes the compaction before it.
    pub(crate) fn iterate_story(
        &mut self,
        assignment: Assignment,
        began: Instant,
    ) -> Result<IterationResult, RunError> {
        Ok(self.run_iteration(assignment, began)?.0)
    }

    /// Also returns the session, if one ran.
    pub(crate) fn run_iteration(
        &mut self,
        assignment: Assignment,
        began: Instant,
    ) -> Result<(IterationResult, Option<Session>), RunError> {
        let stopped = (IterationResult::stopped(), None);
        if self.control.switch.requested().is_some() || self.is_skipped(&assignment.story) {
            return Ok(stopped);
        }
        let before = self.expected_tasks()?;
        let record = self.state.stories.get(&assignment.story);
        let start = StartInput {
            began_at: record.and_then(|record| record.began_at.as_deref()),
            context_window: self.state.context_window,
            clock: &self.control.clock,
            proof_files: &self.proof_files(&assignment),
        };
        let session = Uuid::new_v4().to_string();
        let iteration = self.lane.prepare(assignment, before, session, &start)?;
        let escalation = self.begin_iteration(&iteration)?;
        let candidates = self.candidate_options(&iteration, &escalation);
        let context = self.story_context(&iteration.assignment.story, escalation);
        let session = match candidates {
            None => {
                let session = self.lane.run_session(&iteration, &context, &mut self.control)?;
                self.count_story_session(&iteration, &session);
                session
            }
            Some(options) => match self.run_candidates(&iteration, options)? {
                Some(session) => session,
                None => return Ok(stopped),
            },
        };
        let conclusion = &session.conclusion;
        let verdict = self.lane.verdict_in_message(&iteration, conclusion);
        let question = self.lane.question_of(&iteration, &session);
        self.record_session(&session, verdict, question.clone());
        let handoff = self.lane.apply_handoff(&iteration, &session)?;
        let end = SessionEnd { outcome: conclusion.outcome, verdict, handoff };
        let unavailable_usd = self.state.counters.unavailable_usd();
        let context = StoryContext { unavailable_usd, ..context };
        let settlement = self.settle(&iteration, &end, &context)?;
        // Without a judgement `running` stays set: the next run judges the iteration.
        let Some((step, outcome)) = settlement.result.judged(end.outcome) else {
            return Ok(stopped);
        };
        self.control.orders.story = None;
        self.conclude(&iteration, step, settlement.amendments())?;
        self.record_proof_commit(&iteration, settlement.proof.is_some())?;
        if conclusion.claims_completion() {
            let accepted = matches!(self.select_next()?, Selection::Complete);
            let basis = ClaimBasis::TaskList;
            self.control.sink.emit(LoopEvent::CompletionClaimed { accepted, basis, why: None });
        }
        let (step, question) = self.ask(&iteration, question, (step, outcome))?;
        let step = self.dispute(&iteration, (step, outcome))?;
        let elapsed = began.elapsed();
        let check_time = settlement.check_time;
        let reviewers_cost_usd = settlement.reviewers_cost_usd();
        let ending = IterationEnding {
            outcome,
            step,
            session: Some(&session),
            elapsed,
            check_time,
            reviewers_cost_usd,
            question,
        };
        let assignment = &iteration.assignment;
        let result =
            self.iteration_result(assignment, &settlement, (step, outcome), conclusion.resets_at);
        self.account(&iteration, &ending)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Removed)?;
        if step == Step::Accepted && self.is_followed_up(&iteration.assignment.story) {
            self.lane_state.settings_before = Some(record_protected(self.layout));
            self.save()?;
            self.version_control(&iteration)?;
            if self.is_done(&iteration.assignment.story) {
                self.check_quality(&iteration)?;
            }
            self.lane_state.settings_before = None;
        }
        Ok((result, Some(session)))
    }

    /// Lets the lane judge and correct the work. Afterwards the list on disk is the expected one.
    pub(crate) fn settle(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        context: &StoryContext,
    ) -> Result<Settlement, RunError> {
        self.judged = None;
        let mut settlement = self.lane.settle(iteration, end, context, &mut self.control)?;
        for conclusion in &settlement.reviewers {
            self.state.counters.add_session(conclusion);
            self.state.tokens.add(conclusion.tokens());
        }
        self.state.story(&iteration.assignment.story).cost_usd += settlement.reviewers_cost_usd();
        self.record_settlement(iteration, &settlement)?;
        let corrected = self.lane.correct(iteration, &settlement)?;
        if let Some(list) = corrected.or(settlement.list.take()) {
            // Dependency changes are allowed, but can make a story wait forever.
            for change in tasks::dependency_changes(&iteration.before.list, &list.list) {
                self.control.sink.warn(format!("{} changed {change}", iteration.label()));
            }
            self.expect_tasks(list);
        }
        // The merge of a lane's work credits it.
        if self.options.run.lane.is_none() && self.is_done(&iteration.assignment.story) {
            self.credit(&iteration.assignment.story, &settlement.passed);
        }
        Ok(settlement)
    }

    fn record_settlement(
        &mut self,
        iteration: &Iteration,
        settlement: &Settlement,
    ) -> Result<(), RunError> {
        if let Some(handoff) = &settlement.handoff {
            self.state.memory.keep(handoff.kept.clone());
        }
        if let Some(tolerated) = &settlement.tolerated {
            self.state.story(&iteration.assignment.story).tolerated = tolerated.clone();
        }
        if let Some(proof) = &settlement.proof {
            self.state.story(&iteration.assignment.story).proof = Some((**proof).clone());
        }
        if let (PendingCorrection::TakeBack(taken_back), Some(running)) =
            (&settlement.correction, &mut self.lane_state.running)
        {
            running.taken_back = taken_back.fields.clone();
            running.taken_back_for = taken_back.reason;
        }
        match &settlement.failure {
            Some(failure) => self.record_failure(&iteration.assignment, failure.clone()),
            None => Ok(()),
        }
    }

    /// Saves that the iteration runs, and reports it.
    pub(crate) fn begin_iteration(
        &mut self,
        iteration: &Iteration,
    ) -> Result<Escalation, RunError> {
        self.lane_state.running = iteration.recorded(self.layout);
        let escalation = self.begin_attempt(iteration);
        match iteration.assignment.mode {
            Mode::Implement | Mode::ReviewFix | Mode::Specify => {
                self.state.user_instructions.give();
                self.state.story(&iteration.assignment.story).receive_answers();
            }
            Mode::Review => self.state.user_instructions.withhold(),
        }
        self.save()?;
        self.report_start(iteration);
        Ok(escalation)
    }

    pub(crate) fn story_context(&self, story: &StoryId, escalation: Escalation) -> StoryContext {
        let state = &self.state;
        let last = state.failed_last.as_ref().and_then(|id| state.stories.get(id));
        StoryContext {
            record: state.stories.get(story).cloned().unwrap_or_default(),
            last_failure: last.and_then(|record| record.failure.clone()),
            escalation,
            user_instructions: state.user_instructions.clone(),
            memory: state.memory.clone(),
            context_window: state.context_window,
            unavailable_usd: state.counters.unavailable_usd(),
            void_reviews: state.counters.void_reviews,
            is_skipped: state.skips.contains(story),
            scope: state.scope.clone(),
            given_up: state.given_up(),
            known_failures: state.known_failures(),
        }
    }

    /// Whether another session follows an accepted step: for the commit message or for quality.
    fn is_followed_up(&self, story: &StoryId) -> bool {
        let is_looked_at = self.options.quality.is_some() && self.is_done(story);
        self.options.run.scm.is_some() || is_looked_at
    }

    /// Plan changes and squashing, before the iteration is accounted.
    pub(crate) fn conclude(
        &mut self,
        iteration: &Iteration,
        step: Step,
        amendments: &[Value],
    ) -> Result<(), RunError> {
        self.amend_plan(iteration, step, amendments)?;
        self.lane.squash(iteration, step)
    }

    /// Records where the story began, and chooses the extra help for the attempt.
    fn begin_attempt(
        &mut self,
        Iteration { assignment, before, checkpoint, .. }: &Iteration,
    ) -> Escalation {
        let escalation = self.escalation_for(assignment);
        self.report_escalation(&assignment.story, &escalation);
        self.write_state_md(&assignment.story);
        let began_as = before
            .list
            .story(&assignment.story)
            .map(|story| SavedReviewFields::new(&story.id, ReviewFields::of(story)));
        let record = self.state.story(&assignment.story);
        record.began_at.get_or_insert_with(|| checkpoint.to_string());
        record.began_as = record.began_as.take().or(began_as);
        // A review judges the work of the session that got the help.
        if assignment.mode != Mode::Review {
            record.help_given = escalation.help.clone();
            record.implemented_by = assignment.worker.agent.clone();
        }
        escalation
    }

    fn report_start(&self, iteration: &Iteration) {
        let story = iteration.story();
        let Assignment { iteration: number, attempt, mode, story: id, .. } = &iteration.assignment;
        let event = LoopEvent::IterationStarted(IterationStarted {
            iteration: *number,
            attempt: *attempt,
            mode: (*mode).into(),
            story: Some(id.clone()),
            title: story.map(|story| story.title.clone()).unwrap_or_default(),
            model: self.lane.model(&iteration.assignment, story),
            session: iteration.session.clone(),
            folder: self.layout.name_of(&iteration.folder),
            checkpoint: iteration.checkpoint.to_string(),
        });
        self.control.sink.emit(event);
    }

    /// Counts what a session on a story used.
    pub(crate) fn count_story_session(&mut self, iteration: &Iteration, session: &Session) {
        self.count_session(session);
        let cost = session.conclusion.cost_usd().unwrap_or_default();
        let record = self.state.story(&iteration.assignment.story);
        record.cost_usd += cost;
        if record.help_given.is_stronger() {
            record.help_cost_usd += cost;
        }
    }

    pub(crate) fn count_session(&mut self, session: &Session) {
        let (conclusion, state) = (&session.conclusion, &mut self.state);
        state.counters.add_session(conclusion);
        state.counters.quota = conclusion.quota.or(state.counters.quota);
        state.tokens.add(conclusion.tokens());
    }

    /// Saves how the session ended, so that a killed runner does not lose it, with its cost.
    pub(crate) fn record_session(
        &mut self,
        session: &Session,
        verdict: Option<ReviewVerdict>,
        question: Option<String>,
    ) {
        let conclusion = &session.conclusion;
        self.control.agent_error = conclusion.detail.clone();
        self.state.context_window = conclusion.context_window().or(self.state.context_window);
        if let Some(running) = &mut self.lane_state.running {
            running.outcome = Some(conclusion.outcome);
            running.verdict = verdict;
            running.question = question;
        }
        // A disk error must not prevent the judgement of the work.
        if let Err(error) = self.save() {
            self.control.sink.warn(error.to_string());
        }
    }
}
