//! The verdict of a review. It counts only if the reviewer's final message and the task list agree; otherwise it is
//! void and the review is repeated. A void verdict does not count against the story.

use events::{AgentOutcome, LoopEvent};
use project::VerdictIn;
use tasks::{Mode, ReviewFields, ReviewVerdict};
use verify::{Finding, Judgement, MessageVerdict};

use crate::control::{MOST_VOID_REVIEWS, Step};
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::recorded::TakeBackReason;
use crate::lane::settlement::{SettledStep, Settlement};
use crate::lane::story_context::StoryContext;
use crate::lane::story_record::IterationFailure;
use crate::lane::take_back::{StatusChange, StatusesTakenBack};
use crate::lane::task_text::TaskText;
use crate::session::Conclusion;

pub(crate) const RULE: &str = "A verdict counts only if the task list and the reviewer's final message give the \
                    same one.";

/// The different verdicts of the task list and the final message.
pub(crate) struct VoidVerdict {
    pub(crate) list: Option<ReviewVerdict>,
    pub(crate) message: Option<ReviewVerdict>,
    pub(crate) text: String,
}

impl VoidVerdict {
    /// A review that was interrupted before any verdict is not void: the agent failed.
    pub(crate) fn of(judgement: &Judgement, outcome: AgentOutcome) -> Option<Self> {
        judgement.findings.iter().find_map(|finding| match finding {
            Finding::NoVerdict { list, message } => {
                let message = message.known().flatten();
                let is_silent = list.is_none() && message.is_none();
                let text = finding.to_string();
                (!is_silent || outcome.is_answer()).then_some(Self { list: *list, message, text })
            }
            _ => None,
        })
    }
}

/// The verdict in the session's final message.
pub(crate) fn message_verdict(mode: Mode, verdict: Option<ReviewVerdict>) -> MessageVerdict {
    match mode {
        Mode::Review => MessageVerdict::Known(verdict),
        Mode::Implement | Mode::ReviewFix | Mode::Specify => MessageVerdict::NotAsked,
    }
}

/// The step of a review with a void verdict. A stopped review does not count.
pub(crate) fn void_step(outcome: AgentOutcome) -> Step {
    match outcome {
        AgentOutcome::Stopped | AgentOutcome::RunnerDied => Step::None,
        _ => Step::Void,
    }
}

impl Lane<'_> {
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
        match self.agent(&iteration.assignment).agent.abilities().structured_output {
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
    pub(super) fn void_verdict(
        &self,
        iteration: &Iteration,
        after: TaskText,
        void: VoidVerdict,
        outcome: AgentOutcome,
        context: &StoryContext,
    ) -> Settlement {
        let step = void_step(outcome);
        let VoidVerdict { list, message, text } = void;
        let failure =
            IterationFailure { other: Some(format!("{text}. {RULE}")), ..Default::default() };
        self.sink.emit(LoopEvent::VerdictVoid {
            iteration: iteration.assignment.iteration,
            story: iteration.assignment.story.clone(),
            list,
            message,
            text,
            in_a_row: context.void_reviews + u64::from(step == Step::Void),
            of: MOST_VOID_REVIEWS,
        });
        let before = iteration.story().map(ReviewFields::of);
        let story = after.list.story(&iteration.assignment.story).cloned();
        match (before, story) {
            (Some(old), Some(new)) if old != ReviewFields::of(&new) => {
                let (changes, reason) = (vec![StatusChange { old, new }], TakeBackReason::Verdict);
                let taken_back = StatusesTakenBack::to_before(&after, changes, reason);
                Settlement::taken_back(SettledStep::Step(step), failure, taken_back)
            }
            _ => Settlement { failure: Some(failure), ..Settlement::accepted(step, after) },
        }
    }
}
