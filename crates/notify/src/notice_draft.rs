//! The sentences of a notice. The texts of events are not used: they may quote a command, a path or
//! agent output.

use chrono::{DateTime, Utc};
use events::{
    EscalationTier, GiveUpReason, GivenUp, LoopEvent, QuestionEffect, RunEnd, WaitReason, format,
};
use tasks::StoryId;

use crate::NoticeKind;

/// An event that causes a notice.
pub(crate) struct NoticeDraft<'e> {
    pub(crate) kind: NoticeKind,
    pub(crate) run_ended: bool,
    pub(crate) story: Option<&'e StoryId>,
    /// `Ralph is stuck in`, before the name of the project.
    pub(crate) beginning: &'static str,
    /// The text after the names of project and story.
    pub(crate) what: String,
}

/// `None` for most events.
pub(crate) fn draft(event: &LoopEvent, at: DateTime<Utc>) -> Option<NoticeDraft<'_>> {
    let running = |kind, story, beginning, what: String| {
        Some(NoticeDraft { kind, run_ended: false, story, beginning, what })
    };
    match event {
        LoopEvent::RunEnded(run) => ended(run.end),
        LoopEvent::StoryGivenUp { story, given_up } => {
            let why = give_up_reason(given_up)?;
            running(NoticeKind::StoryFailed, Some(story), "Ralph gave up a story of", why)
        }
        LoopEvent::QuestionAsked { story, effect: QuestionEffect::Waits, .. } => running(
            NoticeKind::Question,
            Some(story),
            "Ralph has a question in",
            "waits for your answer; see ralph-loop questions".into(),
        ),
        LoopEvent::HookMissing { .. } => running(
            NoticeKind::HookMissing,
            None,
            "Ralph hook failure in",
            "the Stop hook did not run in a session".into(),
        ),
        // Context expansion alone is no reason for a notice: the story is not stuck yet.
        LoopEvent::Escalated { story, tier: EscalationTier::StrategyShift, .. } => running(
            NoticeKind::Stuck,
            Some(story),
            "Ralph is stuck in",
            "repeats the same failure; the next attempt uses another strategy".into(),
        ),
        LoopEvent::Waiting(wait) if wait.reason == WaitReason::UsageLimit => {
            let left = format::span(wait.until - at);
            let what = format!("usage limit reached; the run resumes in {left}");
            running(NoticeKind::LimitReached, None, "Ralph waits in", what)
        }
        _ => None,
    }
}

/// `None` if the user stopped the run. A termination signal or a lost terminal may have any cause.
fn ended(end: RunEnd) -> Option<NoticeDraft<'static>> {
    let (kind, beginning, what) = match end {
        RunEnd::Complete => {
            (NoticeKind::Finished, "Ralph has finished", "the run is complete".to_owned())
        }
        RunEnd::Interrupted | RunEnd::Stopped => return None,
        RunEnd::CostCeiling | RunEnd::QuotaCeiling | RunEnd::TimeUsed => {
            (NoticeKind::LimitReached, "Ralph stopped in", end.to_string())
        }
        RunEnd::QuestionsOpen => (NoticeKind::Question, "Ralph stopped in", end.to_string()),
        RunEnd::IterationsUsed
        | RunEnd::Blocked
        | RunEnd::StoriesFailed
        | RunEnd::PlanMissing
        | RunEnd::BaseFails
        | RunEnd::AgentFailed
        | RunEnd::ReviewerFailed
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed
        | RunEnd::Terminated
        | RunEnd::HungUp => (NoticeKind::Failed, "Ralph stopped in", end.to_string()),
    };
    Some(NoticeDraft { kind, run_ended: true, story: None, beginning, what })
}

/// `None` for a story that the user skipped.
fn give_up_reason(given_up: &GivenUp) -> Option<String> {
    let attempts = format::count(given_up.attempts, "attempt", "attempts");
    Some(match given_up.reason {
        GiveUpReason::AttemptsUsed => format!("failed after {attempts}"),
        GiveUpReason::Stuck => format!("is stuck: the same failure in {attempts}"),
        GiveUpReason::ReviewCap => "reached the review limit".into(),
        GiveUpReason::Skipped => return None,
    })
}
