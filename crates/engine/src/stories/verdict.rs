//! The verdict of a review. It counts only if the reviewer's final message and the task list agree; otherwise it is
//! void and the review is repeated. A void verdict does not count against the story.

use events::{AgentOutcome, LoopEvent};
use project::VerdictIn;
use tasks::{Mode, ReviewFields, ReviewVerdict};
use verify::{Finding, Judgement, MessageVerdict};

use crate::RunError;
use crate::decide::{MOST_VOID_REVIEWS, Step};
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::settle::{SessionEnd, StatusChange};
use crate::stories::state::TakeBackReason;
use crate::stories::story_record::IterationFailure;
use crate::stories::task_text::TaskText;
use crate::watch::Conclusion;

const RULE: &str = "A verdict counts only if the task list and the reviewer's final message give the \
                    same one.";

/// The different verdicts of the task list and the final message.
pub(crate) struct VoidVerdict {
    list: Option<ReviewVerdict>,
    message: Option<ReviewVerdict>,
    text: String,
}

impl VoidVerdict {
    /// A review that was interrupted before any verdict is not void: the agent failed.
    pub(crate) fn of(judgement: &Judgement, end: &SessionEnd) -> Option<Self> {
        judgement.findings.iter().find_map(|finding| match finding {
            Finding::NoVerdict { list, message } => {
                let message = message.known().flatten();
                let is_silent = list.is_none() && message.is_none();
                let text = finding.to_string();
                (!is_silent || end.outcome.is_answer()).then_some(Self {
                    list: *list,
                    message,
                    text,
                })
            }
            _ => None,
        })
    }
}

/// The verdict in the session's final message.
pub(crate) fn message_verdict(iteration: &Iteration, end: &SessionEnd) -> MessageVerdict {
    match iteration.assignment.mode {
        Mode::Review => MessageVerdict::Known(end.verdict),
        Mode::Implement | Mode::ReviewFix => MessageVerdict::NotAsked,
    }
}

/// The step of a review with a void verdict. A stopped review does not count.
pub(crate) fn void_step(outcome: AgentOutcome) -> Step {
    match outcome {
        AgentOutcome::Stopped | AgentOutcome::RunnerDied => Step::None,
        _ => Step::Void,
    }
}

impl Run<'_> {
    /// The verdict in the reviewer's final message; `None` if the session did not end normally.
    pub(crate) fn verdict_in_message(
        &self,
        iteration: &Iteration,
        conclusion: &Conclusion,
    ) -> Option<ReviewVerdict> {
        let is_review = iteration.assignment.mode == Mode::Review;
        if !is_review || conclusion.outcome != AgentOutcome::Answered {
            return None;
        }
        let result = conclusion.result.as_ref()?;
        if self.options.memory.is_some() {
            let structured = result.structured.clone();
            let answer =
                structured.or_else(|| memory::closing_json(&result.text, "task_completed"))?;
            return ReviewVerdict::from_word(answer.get("verdict")?.as_str()?);
        }
        match self.agent(Mode::Review).agent.abilities().structured_output {
            true => ReviewVerdict::ending(&result.text),
            false => ReviewVerdict::ending_output(&result.text),
        }
    }

    /// Where the Stop hook looks for the verdict.
    pub(crate) fn verdict_in(&self, mode: Mode) -> Option<VerdictIn> {
        let place = match self.options.memory {
            Some(_) => VerdictIn::Answer,
            None => VerdictIn::Message,
        };
        (mode == Mode::Review).then_some(place)
    }

    /// Resets the story's review fields and reports the disagreement.
    pub(crate) fn void_verdict(
        &mut self,
        iteration: &Iteration,
        after: &TaskText,
        void: VoidVerdict,
        end: &SessionEnd,
    ) -> Result<Step, RunError> {
        let step = void_step(end.outcome);
        let VoidVerdict { list, message, text } = void;
        let failure =
            IterationFailure { other: Some(format!("{text}. {RULE}")), ..Default::default() };
        self.control.sink.emit(LoopEvent::VerdictVoid {
            iteration: iteration.assignment.iteration,
            story: iteration.assignment.story.clone(),
            list,
            message,
            text,
            in_a_row: self.state.counters.void_reviews + u64::from(step == Step::Void),
            of: MOST_VOID_REVIEWS,
        });
        let before = iteration.story().map(ReviewFields::of);
        let story = after.list.story(&iteration.assignment.story);
        match (before, story) {
            (Some(old), Some(new)) if old != ReviewFields::of(new) => {
                let changes = [StatusChange { old, new }];
                self.take_back(
                    iteration,
                    after,
                    &changes,
                    ReviewFields::clone,
                    failure,
                    TakeBackReason::Verdict,
                )?;
            }
            _ => {
                self.expect_tasks(after.clone());
                self.record_failure(iteration, failure)?;
            }
        }
        Ok(step)
    }

    /// Why the run ends with `ReviewerFailed`.
    pub(crate) fn reviewer_failed_text(&self) -> String {
        let agent = self.agent(Mode::Review).name();
        let story = self.state.failed_last.as_ref();
        let failure = story.and_then(|story| self.state.stories.get(story)?.failure.as_ref());
        let of_story = story.map(|story| format!(", the last one of {story}")).unwrap_or_default();
        let last = failure.and_then(|failure| failure.other.as_deref()).unwrap_or(RULE);
        format!(
            "{MOST_VOID_REVIEWS} reviews by {agent} in a row gave no verdict that counts{of_story}: \
             {last} Resume with --resume, if needed with another --review-agent"
        )
    }
}
