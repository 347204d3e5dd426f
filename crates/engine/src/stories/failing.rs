//! What an iteration failed at, and what is written down of it at once: the record, the event,
//! `state.md`. What follows from it is decided when the run looks for its next work.

use failure_signature::ErrorHash;
use tasks::{Mode, ReviewStatus, StoryId};

use crate::decide::Step;
use crate::failed_guardrail::FailedGuardrail;
use crate::stories::attempt::{self, Attempt, Evidence};
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::state_md::Attempts;
use crate::stories::work_done::WorkDone;
use crate::{AgentOutcome, Gate, LoopEvent};

/// What the next session can do about it.
const TOOK_TOO_LONG: &str = "the session took longer than it may and was ended; go on from what it \
                             left, do less at once, or split the story";

const NOTHING_CAME: &str =
    "nothing came of the session: no change to the project, and no step of the story";

/// How a session ended, and what the runner made of it.
pub(crate) struct Ending<'a> {
    pub(crate) outcome: AgentOutcome,
    pub(crate) step: Step,
    /// The agent's own.
    pub(crate) last_words: &'a str,
}

impl Run<'_> {
    /// None if the iteration does not count as a failed attempt at its story.
    pub(crate) fn evidence(
        &self,
        iteration: &Iteration,
        ending: &Ending<'_>,
        work: &WorkDone,
    ) -> Option<Evidence> {
        let session = match iteration.assignment.mode {
            Mode::Review => Gate::SpecReview,
            Mode::Implement | Mode::ReviewFix => Gate::Implement,
        };
        let record = self.state.stories.get(&iteration.assignment.story);
        let failure = record.and_then(|record| record.failure.as_ref());
        match (ending.step, ending.outcome) {
            (Step::Undone, _) => {
                let findings = failure.map(|failure| failure.findings.join("\n"));
                Some(Evidence::of_words(Gate::Rules, &findings.unwrap_or_default()))
            }
            (Step::GatesFailed, _) => {
                Some(of_checks(failure.map_or(&[], |failure| &failure.guardrails)))
            }
            (Step::Accepted, _) => {
                let feedback = self.rejection(iteration)?;
                Some(Evidence::of_words(Gate::SpecReview, &feedback))
            }
            // The reviewer failed, and not the story.
            (Step::Void, _) => None,
            // It was not let finish.
            (Step::None, _) if self.switch.heard().is_some() => None,
            (Step::None, AgentOutcome::TimedOut) => {
                Some(Evidence::of_words(session, TOOK_TOO_LONG))
            }
            (Step::None, AgentOutcome::Crashed | AgentOutcome::EmptyAnswer) => {
                let what = format!("the agent failed: {}", self.trouble);
                Some(Evidence::of_words(session, what.trim_end_matches([' ', ':'])))
            }
            (Step::None, outcome) if outcome.is_answer() && work.is_nothing() => {
                Some(Evidence::of_silence(session, NOTHING_CAME, ending.last_words))
            }
            (Step::None, outcome) if outcome.is_answer() => {
                let unsubmitted = record.map_or(0, |record| record.unsubmitted);
                let what = "the session changed the project, but the story took no step, for more \
                            sessions than it may fail: submit what is there, or split it";
                (unsubmitted > self.options.attempts.most)
                    .then(|| Evidence::of_silence(session, what, ending.last_words))
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

    /// Counts the attempt, tells of it, and writes `state.md`.
    pub(crate) fn book_attempt(
        &mut self,
        iteration: &Iteration,
        evidence: Evidence,
        files_modified: Vec<String>,
    ) {
        let (story, of) = (iteration.assignment.story.clone(), self.options.attempts.most);
        let record = self.state.story(&story);
        let attempt = Attempt {
            iteration: iteration.assignment.iteration,
            mode: iteration.assignment.mode,
            gate: evidence.gate,
            exit_code: evidence.exit_code,
            at: crate::now(),
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
        self.sink.emit(LoopEvent::AttemptFailed {
            story: story.clone(),
            iteration: iteration.assignment.iteration,
            attempt: number,
            of,
            gate,
            error,
            error_hash,
            repeats,
        });
        self.write_state_md(&story);
    }

    /// The file is for the agent; what the runner goes by is in `state.json`, so an agent that puts
    /// something in its place stops nobody. A story without a failure leaves that of another there.
    pub(crate) fn write_state_md(&mut self, story: &StoryId) {
        let Some(attempts) = self.attempts_at(story) else { return };
        let (path, text) = (self.layout.state_md(), attempts.file());
        match project::replace_whole(&path, text.as_bytes()) {
            Ok(()) => self.state.state_md_of = Some(story.clone()),
            Err(error) => {
                let name = self.layout.name_of(&path);
                self.sink.warn(format!("{name} could not be written: {error}"));
            }
        }
    }

    /// None if none has failed.
    pub(crate) fn attempts_at<'s>(&'s self, story: &'s StoryId) -> Option<Attempts<'s>> {
        let record = self.state.stories.get(story)?;
        let (failed, most) = (record.attempts.as_slice(), self.options.attempts.most);
        (!failed.is_empty()).then_some(Attempts { story, failed, most })
    }

    pub(crate) fn is_done(&self, story: &StoryId) -> bool {
        let list = self.judged.as_ref().map(|judged| &judged.list);
        list.and_then(|list| list.story(story)).is_some_and(|story| story.passes)
    }

    /// A story that is done leaves nothing for a next attempt to read.
    pub(crate) fn forget_outputs(&mut self, story: &StoryId) {
        for attempt in &mut self.state.story(story).attempts {
            attempt.output.clear();
        }
        if self.state.state_md_of.as_ref() == Some(story) {
            self.state.state_md_of = None;
            // Nothing depends on the file, so nothing ends because of it.
            let _ = std::fs::remove_file(self.layout.state_md());
        }
    }
}

/// All checks that failed are one failure, of these commands: another one that says the same is another.
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
