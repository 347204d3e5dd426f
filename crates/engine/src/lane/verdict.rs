//! The verdict of a review. It counts only if the reviewer's final message and the task list agree; otherwise it is
//! void and the review is repeated. A void verdict does not count against the story.

use events::AgentOutcome;
use project::VerdictIn;
use tasks::{Mode, ReviewVerdict};
use verify::{Finding, Judgement, MessageVerdict};

use crate::control::Step;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
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
}
