//! One session of a final review. It changes nothing: what it changed is restored, and then its findings do not count.

use std::path::PathBuf;

use events::{
    AgentOutcome, FinalReview, FinalReviewOutcome, IterationEnded, IterationMode, IterationStarted,
    LoopEvent, ReviewFinding,
};
use project::record_protected;
use tasks::Mode;
use uuid::Uuid;
use vcs::CommitId;

use crate::control::{AgentChoice, IterationAttempt, IterationResult, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::state::{SessionKind, SideSessionState};
use crate::drive::outcome::{self};
use crate::drive::{OutcomeInput, iteration_status};
use crate::lane::{
    AnswerFormat, FinalReviewInput, SideSession, TaskText, answer_schema, findings, prompt,
    write_before,
};
use crate::options::AgentOptions;
use crate::run_files::{deadline, no_commit};
use crate::session::Session;
use crate::workspace::{Actor, ProjectSnapshot, protected_contents};
use crate::{RunError, run_files};

/// What the review is about, and where its files are.
struct Review<'o> {
    attempt: IterationAttempt,
    agent: &'o AgentOptions,
    folder: PathBuf,
    session: String,
    from: String,
    head: CommitId,
    before: ProjectSnapshot,
}

impl<'a> Coordinator<'a> {
    /// The outcome is `None` if the review was stopped or is retried.
    pub(super) fn review_in_session(
        &mut self,
        attempt: IterationAttempt,
    ) -> Result<(IterationResult, Option<FinalReviewOutcome>), RunError> {
        if self.control.switch.requested().is_some() {
            return Ok((IterationResult::stopped(), None));
        }
        let list = self.expected_tasks()?;
        let review = self.begin_review(attempt, &list)?;
        let session = self.run_review(&review, &list)?;
        // Orders from the time of the session.
        self.control.apply_orders();
        self.control.agent_error = session.conclusion.detail.clone();
        self.count_session(&session);
        // A killed runner does not lose the cost.
        self.save()?;
        let changed = self.restore_after_review(&review)?;
        let found = match changed {
            None => findings(&session),
            Some(changed) => Err(changed),
        };
        let outcome = session.conclusion.outcome;
        use AgentOutcome::{Answered, TimedOut, TurnLimit};
        let (step, ended) = match (found, outcome) {
            (Ok(found), _) => (Step::Accepted, Some(self.end_round(&review, found, &list))),
            (Err(why), Answered | TurnLimit | TimedOut) => {
                (Step::Void, Some(self.void(&review, why)))
            }
            (Err(_), _) => (Step::None, None),
        };
        self.save()?;
        self.account_review(&review, &session, step, &list);
        let result = ended.as_ref().map(|ended| ended.outcome);
        ended.into_iter().for_each(|ended| self.control.sink.emit(LoopEvent::FinalReviewed(ended)));
        let ended = IterationResult::new(outcome, step, session.conclusion.resets_at);
        let choice = self.final_reviewer(&list);
        Ok((choice.after(review.agent, &mut self.state.usage_limits, ended), result))
    }

    /// Another agent than those that implemented the stories, if the settings want that and one is left.
    fn final_reviewer(&self, list: &TaskText) -> AgentChoice<'a> {
        let wanted = self.options.reviewing_agent();
        let stories = list.list.stories.iter().map(|story| &story.id);
        AgentChoice::new(&self.options.run, wanted).avoiding(self.implementers(stories, wanted))
    }

    fn begin_review(
        &mut self,
        attempt: IterationAttempt,
        list: &TaskText,
    ) -> Result<Review<'a>, RunError> {
        let head = self.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let began = self.state.final_review.began_at.as_deref();
        let from = began.and_then(|began| CommitId::new(began).ok()).unwrap_or(head.clone());
        self.lane.workspace.refuse_forged_objects("the last story", &from, &head)?;
        let name = format!("{:03}-final-review", attempt.iteration);
        let folder =
            run_files::new_folder(self.layout, &self.state.run_id, &name, attempt.attempt)?;
        write_before(self.layout, &folder, list, &protected_contents(self.layout, []))?;
        self.lane_state.side_session = Some(SideSessionState {
            kind: SessionKind::FinalReview,
            folder: self.layout.name_of(&folder),
            head: head.to_string(),
            protected: record_protected(self.layout),
        });
        self.state.user_instructions.withhold();
        self.save()?;
        let choice = self.final_reviewer(list);
        let agent = choice.choose(&self.state.usage_limits, events::now());
        let about = (None, Some(IterationMode::FinalReview));
        if let Some(replaced) = choice.replacement(agent, &self.state.usage_limits, about) {
            self.control.sink.emit(LoopEvent::AgentReplaced(replaced));
        }
        let session = Uuid::new_v4().to_string();
        self.control.sink.emit(LoopEvent::IterationStarted(IterationStarted {
            iteration: attempt.iteration,
            attempt: attempt.attempt,
            mode: IterationMode::FinalReview,
            story: None,
            title: "all work of the run".into(),
            model: agent.model.clone(),
            session: session.clone(),
            folder: self.layout.name_of(&folder),
            checkpoint: head.to_string(),
        }));
        let before =
            self.lane.workspace.snapshot(Actor::FinalReview, None, head.clone(), &list.text);
        Ok(Review { attempt, agent, folder, session, from: from.to_string(), head, before })
    }

    fn run_review(&mut self, review: &Review<'_>, list: &TaskText) -> Result<Session, RunError> {
        let agent = review.agent;
        let prompt = prompt::about_final_review(&FinalReviewInput {
            list: &list.list,
            from: &review.from,
            branch: &self.lane.workspace.baseline.branch,
            ralph_dir: &self.layout.ralph_dir_name(),
            earlier: &self.state.final_review.findings(),
            answer_format: AnswerFormat::of(agent),
        });
        let iteration = review.attempt.iteration;
        let side = SideSession {
            agent,
            prompt: self.options.run.with_iteration_count(prompt, iteration),
            prompt_file: review.folder.join("prompt.md"),
            recording: review.folder.join("stream.jsonl"),
            iteration,
            servers: self.layout.mcp_coding(),
            answer_schema: answer_schema(agent),
            allowance: self.lane.allowance(Mode::Review),
        };
        self.lane.run_side_session(side, self.state.counters.unavailable_usd(), &mut self.control)
    }

    /// Returns what the session changed although it must not.
    fn restore_after_review(&mut self, review: &Review<'_>) -> Result<Option<String>, RunError> {
        let changed =
            self.lane.workspace.restore_unexpected_changes(&review.before, &review.folder)?;
        for change in &changed {
            self.control.sink.warn(format!("{change}; restored"));
        }
        self.lane_state.side_session = None;
        Ok((!changed.is_empty()).then(|| changed.join("; ")))
    }

    fn end_round(
        &mut self,
        review: &Review<'_>,
        found: Vec<ReviewFinding>,
        list: &TaskText,
    ) -> FinalReview {
        let taken = self.taken_ids(&list.list);
        let number = self.state.final_review.next_round();
        let round = self.state.final_review.end_round(self.options.final_review, found, &taken);
        FinalReview { round: number, findings: round.findings, ..review.ended(round.outcome) }
    }

    fn void(&mut self, review: &Review<'_>, text: String) -> FinalReview {
        self.state.final_review.void = Some(text.clone());
        let round = self.state.final_review.next_round();
        FinalReview { round, text, ..review.ended(FinalReviewOutcome::Void) }
    }

    fn account_review(&self, review: &Review<'_>, session: &Session, step: Step, list: &TaskText) {
        let (policy, retries) = (&self.options.run.policy, self.state.counters.retries);
        let outcome = session.conclusion.outcome;
        let status = iteration_status::of(outcome, step, policy, retries);
        let IterationAttempt { iteration, attempt } = review.attempt;
        let mode = IterationMode::FinalReview;
        let account = OutcomeInput {
            folder: &review.folder,
            iteration,
            attempt,
            mode,
            story: None,
            session: &review.session,
            checkpoint: review.head.as_str(),
            status,
            agent: outcome,
            check_seconds: 0.0,
        };
        outcome::write(&account, Some(session));
        let seconds = session.elapsed.as_secs_f64();
        let stories = &list.list.stories;
        self.control.sink.emit(LoopEvent::IterationEnded(IterationEnded {
            iteration,
            mode,
            story: None,
            status,
            seconds,
            agent_seconds: seconds,
            check_seconds: 0.0,
            cost_usd: session.conclusion.cost_usd().unwrap_or_default(),
            total_cost_usd: self.state.counters.cost_usd,
            done: stories.iter().filter(|story| story.passes).count() as u64,
            stories: stories.len() as u64,
            commit: Some(review.head.to_string()),
        }));
    }
}

impl Review<'_> {
    fn ended(&self, outcome: FinalReviewOutcome) -> FinalReview {
        FinalReview {
            iteration: self.attempt.iteration,
            round: 0,
            from: self.from.clone(),
            to: self.head.to_string(),
            outcome,
            text: String::new(),
            findings: Vec::new(),
        }
    }
}
