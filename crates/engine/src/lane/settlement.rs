//! What a lane returns about an iteration: the values between the end of a session and its booking.

use std::time::Duration;

use events::AgentOutcome;
use serde_json::Value;
use tasks::ReviewVerdict;
use verify::Judgement;

use crate::checks::FailedGuardrail;
use crate::control::Step;
use crate::lane::handoff::{SavedHandoff, SessionHandoff};
use crate::lane::proof::StoryProof;
use crate::lane::story_record::IterationFailure;
use crate::lane::take_back::StatusesTakenBack;
use crate::lane::task_text::TaskText;
use crate::session::Conclusion;

/// What an iteration came to. The failure is on disk before the correction is carried out, because afterwards it
/// cannot be derived from the files.
#[derive(Debug)]
pub(crate) struct Settlement {
    pub(crate) result: SettledStep,
    pub(crate) check_time: Duration,
    /// Failed checks that do not block the story; `None` if no check ran.
    pub(crate) tolerated: Option<Vec<FailedGuardrail>>,
    /// The commands of the checks that passed.
    pub(crate) passed: Vec<String>,
    pub(crate) handoff: Option<SavedHandoff>,
    pub(crate) failure: Option<IterationFailure>,
    pub(crate) correction: PendingCorrection,
    /// The proof of the story, if its tests ran and gave the wanted results.
    pub(crate) proof: Option<Box<StoryProof>>,
    /// Sessions of further reviewers.
    pub(crate) reviewers: Vec<Conclusion>,
    /// The judged list, if no correction changes it.
    pub(crate) list: Option<TaskText>,
}

/// What is not accepted of an iteration and still to be changed back.
#[derive(Debug)]
pub(crate) enum PendingCorrection {
    None,
    /// Forbidden changes.
    Revert(Judgement),
    /// New statuses of stories.
    TakeBack(StatusesTakenBack),
}

impl Settlement {
    pub(crate) fn reviewers_cost_usd(&self) -> f64 {
        self.reviewers.iter().filter_map(Conclusion::cost_usd).sum()
    }

    /// The plan changes that the handoff asks for.
    pub(crate) fn amendments(&self) -> &[Value] {
        self.handoff.as_ref().map_or(&[], |handoff| &handoff.amendments)
    }

    pub(crate) fn of(result: SettledStep) -> Self {
        Self {
            result,
            check_time: Duration::ZERO,
            tolerated: None,
            passed: Vec::new(),
            handoff: None,
            failure: None,
            correction: PendingCorrection::None,
            proof: None,
            reviewers: Vec::new(),
            list: None,
        }
    }

    pub(super) fn accepted(step: Step, list: TaskText) -> Self {
        Self { list: Some(list), ..Self::of(SettledStep::Step(step)) }
    }

    pub(super) fn taken_back(
        result: SettledStep,
        failure: IterationFailure,
        taken_back: StatusesTakenBack,
    ) -> Self {
        let correction = PendingCorrection::TakeBack(taken_back);
        Self { failure: Some(failure), correction, ..Self::of(result) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettledStep {
    Step(Step),
    /// The user skipped the story: its new status was not checked and is taken back.
    Skipped,
    /// A further reviewer is at its usage limit: the new status is taken back, and the review is repeated later.
    ReviewerLimited,
    /// The user stopped the run before the checks finished; the next run continues here.
    Unfinished,
}

impl SettledStep {
    /// The step and outcome that count; `None` if the iteration is not judged yet.
    pub(crate) fn judged(self, outcome: AgentOutcome) -> Option<(Step, AgentOutcome)> {
        match self {
            Self::Step(step) => Some((step, outcome)),
            Self::Skipped => Some((Step::None, AgentOutcome::Stopped)),
            Self::ReviewerLimited => Some((Step::None, AgentOutcome::UsageLimit)),
            Self::Unfinished => None,
        }
    }
}

/// What is known about an ended session, apart from the files that it left.
#[derive(Debug)]
pub(crate) struct SessionEnd {
    pub(crate) outcome: AgentOutcome,
    /// The verdict in a review's final message.
    pub(crate) verdict: Option<ReviewVerdict>,
    /// The handoff in its final message; empty without memory, or after a killed runner.
    pub(crate) handoff: SessionHandoff,
}
