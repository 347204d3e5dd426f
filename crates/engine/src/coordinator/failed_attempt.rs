//! Records a failed attempt: its evidence, the event and `state.md`. `give_up` and `escalate` decide what
//! follows when the run selects its next work.

use std::time::Duration;

use events::{AgentOutcome, AttemptFailed, Gate, LoopEvent, QuestionEffect};
use failure_signature::ErrorHash;
use tasks::{Mode, ReviewStatus, StoryId};

use crate::checks::FailedGuardrail;
use crate::control::Step;
use crate::coordinator::core::Coordinator;
use crate::lane::attempt::{self};
use crate::lane::{
    Assignment, Attempt, Evidence, FailedAttempts, Iteration, StoryRecord, WorkDone,
};
use crate::session::Session;

/// Read by the next session.
const TOOK_TOO_LONG: &str = "the session exceeded its time limit and was ended; continue from its \
                             work, do less at once, or split the story";

const NO_RESULT: &str =
    "the session had no result: no change to the project and no new status of the story";

const NO_CANDIDATE: &str = "none of the candidates submitted the story and passed the checks";

const ASKED_TOO_OFTEN: &str =
    "the session asked a question, but the story has used all of its questions: decide yourself";

/// How an iteration ended and how the runner judged it.
pub(crate) struct IterationEnding<'a> {
    pub(crate) outcome: AgentOutcome,
    pub(crate) step: Step,
    /// `None` if its runner was killed.
    pub(crate) session: Option<&'a Session>,
    pub(crate) elapsed: Duration,
    pub(crate) check_time: Duration,
    /// Of the sessions of further reviewers.
    pub(crate) reviewers_cost_usd: f64,
    /// What follows from the session's question, if it asked one.
    pub(crate) question: Option<QuestionEffect>,
}

impl IterationEnding<'_> {
    fn last_message(&self) -> &str {
        self.session.map_or("", Session::last_message)
    }

    fn agent_error(&self) -> &str {
        self.session.map_or("", |session| &session.conclusion.detail)
    }
}

impl Coordinator<'_> {
    /// `None` if the iteration is not a failed attempt at its story.
    pub(crate) fn evidence(
        &self,
        iteration: &Iteration,
        ending: &IterationEnding<'_>,
        work: &WorkDone,
    ) -> Option<Evidence> {
        let session = match iteration.assignment.mode {
            Mode::Review => Gate::SpecReview,
            Mode::Implement | Mode::ReviewFix | Mode::Specify => Gate::Implement,
        };
        let record = self.state.stories.get(&iteration.assignment.story);
        let failure = record.and_then(|record| record.failure.as_ref());
        match (ending.step, ending.outcome) {
            (Step::Undone, _) => {
                let findings = failure.map(|failure| failure.findings.join("\n"));
                Some(Evidence::from_text(Gate::Rules, &findings.unwrap_or_default()))
            }
            (Step::ChecksFailed, _) => {
                Some(match failure.and_then(|failure| failure.other.as_deref()) {
                    Some(text) => Evidence::from_text(Gate::Proof, text),
                    None => of_checks(failure.map_or(&[], |failure| &failure.guardrails)),
                })
            }
            (Step::Accepted, _) => {
                let feedback = self.rejection(iteration)?;
                Some(Evidence::from_text(Gate::SpecReview, &feedback))
            }
            // The reviewer failed, not the story.
            (Step::Void, _) => None,
            (Step::Asked, _) => None,
            // The user stopped the session.
            (Step::None, _) if self.control.switch.requested().is_some() => None,
            (Step::None, AgentOutcome::TimedOut) => {
                Some(Evidence::from_text(session, TOOK_TOO_LONG))
            }
            (Step::None, AgentOutcome::Crashed | AgentOutcome::EmptyAnswer) => {
                let what = format!("the agent failed: {}", ending.agent_error());
                Some(Evidence::from_text(session, what.trim_end_matches([' ', ':'])))
            }
            (Step::None, _) if ending.question == Some(QuestionEffect::LimitReached) => {
                Some(Evidence::without_result(session, ASKED_TOO_OFTEN, ending.last_message()))
            }
            (Step::None, outcome)
                if outcome.is_answer()
                    && record.is_some_and(StoryRecord::has_only_failed_candidates) =>
            {
                Some(Evidence::from_text(session, NO_CANDIDATE))
            }
            (Step::None, outcome) if outcome.is_answer() && work.is_nothing() => {
                Some(Evidence::without_result(session, NO_RESULT, ending.last_message()))
            }
            (Step::None, outcome) if outcome.is_answer() => {
                let unsubmitted = record.map_or(0, |record| record.unsubmitted);
                let what = "too many sessions changed the project without submitting the story: \
                            submit the work, or split the story";
                (unsubmitted > self.options.attempts.most)
                    .then(|| Evidence::without_result(session, what, ending.last_message()))
            }
            (Step::None, _) => None,
        }
    }

    /// The feedback of a review that did not approve.
    fn rejection(&self, iteration: &Iteration) -> Option<String> {
        let story = self.judged.as_ref()?.list.story(&iteration.assignment.story)?;
        let rejected = iteration.assignment.mode == Mode::Review
            && story.review_status == ReviewStatus::ChangesRequested;
        rejected.then(|| story.review_feedback.clone())
    }

    /// Counts the attempt, emits its event and writes `state.md`.
    pub(crate) fn record_attempt(
        &mut self,
        assignment: &Assignment,
        evidence: Evidence,
        files_modified: Vec<String>,
    ) {
        let (story, of) = (assignment.story.clone(), self.options.most_attempts());
        self.report_help_ended(&story, false);
        let record = self.state.story(&story);
        record.candidates = None;
        let attempt = Attempt {
            iteration: assignment.iteration,
            mode: assignment.mode,
            gate: evidence.gate,
            exit_code: evidence.exit_code,
            at: events::now(),
            help: std::mem::take(&mut record.help_given),
            symptom: evidence.symptom,
            output: evidence.output,
            files_modified,
        };
        let (gate, error) = (attempt.gate, attempt.symptom.error.clone());
        let error_hash = attempt.symptom.hash.to_string();
        attempt::add(&mut record.attempts, attempt);
        let number = record.attempts.len() as u64;
        let repeats = attempt::repeats(&record.attempts);
        self.control.sink.emit(LoopEvent::AttemptFailed(AttemptFailed {
            story: story.clone(),
            iteration: assignment.iteration,
            attempt: number,
            of,
            gate,
            error,
            error_hash,
            repeats,
        }));
        self.write_state_md(&story);
    }

    /// The file is for the agent only; the runner reads `state.json`. A failed write therefore only warns, and a
    /// story without failures leaves the file of another story in place.
    pub(crate) fn write_state_md(&mut self, story: &StoryId) {
        let Some(attempts) = self.attempts_at(story) else { return };
        let (path, text) = (self.layout.state_md(), attempts.file());
        // A new clone has no such folder.
        let made = std::fs::create_dir_all(self.layout.data_dir());
        match made.and_then(|()| project::replace_whole(&path, text.as_bytes())) {
            Ok(()) => self.lane_state.state_md_of = Some(story.clone()),
            Err(error) => {
                let name = self.layout.name_of(&path);
                self.control.sink.warn(format!("cannot write {name}: {error}"));
            }
        }
    }

    /// `None` if no attempt failed.
    pub(crate) fn attempts_at<'s>(&'s self, story: &'s StoryId) -> Option<FailedAttempts<'s>> {
        FailedAttempts::of(story, self.state.attempts(story), self.options.most_attempts())
    }

    pub(crate) fn is_done(&self, story: &StoryId) -> bool {
        let list = self.judged.as_ref().map(|judged| &judged.list);
        list.and_then(|list| list.story(story)).is_some_and(|story| story.passes)
    }

    /// Removes the outputs of a story that is done.
    pub(crate) fn forget_outputs(&mut self, story: &StoryId) {
        for attempt in &mut self.state.story(story).attempts {
            attempt.output.clear();
        }
        if self.lane_state.state_md_of.as_ref() == Some(story) {
            self.lane_state.state_md_of = None;
            // The runner never reads the file, so an error does not matter.
            let _ = std::fs::remove_file(self.layout.state_md());
        }
    }
}

/// All failed checks count as one failure. The hash includes the commands, so that equal outputs of different
/// checks differ.
fn of_checks(failed: &[FailedGuardrail]) -> Evidence {
    let share = attempt::LINES / failed.len().max(1);
    let output: Vec<String> = failed.iter().flat_map(|failed| failed.last_lines(share)).collect();
    let known = || failed.iter().filter_map(|failed| Some((failed, failed.symptom.as_ref()?)));
    let mut symptom = match known().next() {
        Some((_, first)) => first.clone(),
        None => failure_signature::examine(&output.join("\n")),
    };
    for (_, other) in known().skip(1) {
        symptom.missing.extend(other.missing.iter().cloned());
        symptom.files.extend(other.files.iter().cloned());
    }
    if known().next().is_some() {
        let named = known().map(|(failed, symptom)| (failed.command.as_str(), &symptom.hash));
        symptom.hash = ErrorHash::combined(named);
    }
    let exit_code = failed.first().and_then(|failed| failed.exit_code);
    Evidence { gate: Gate::Tests, exit_code, symptom, output }
}
