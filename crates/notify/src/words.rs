//! The sentences of a notice. Events have sentences of their own for most of this, and none of them is
//! used: they may quote a command, a path or an answer.

use chrono::{DateTime, Utc};
use engine::{GiveUpReason, GivenUp, LoopEvent, RestReason, RunEnd, Tier};
use events::words;
use tasks::StoryId;

use crate::{Kind, RunState};

/// An event that is worth a word.
pub(crate) struct Occasion<'e> {
    pub(crate) kind: Kind,
    pub(crate) state: RunState,
    pub(crate) story: Option<&'e StoryId>,
    /// `Ralph is stuck in`, before the name of the project.
    pub(crate) beginning: &'static str,
    /// What follows the names of project and story.
    pub(crate) what: String,
}

/// None of most events.
pub(crate) fn occasion(event: &LoopEvent, at: DateTime<Utc>) -> Option<Occasion<'_>> {
    let goes_on = |kind, story, beginning, what: String| {
        Some(Occasion { kind, state: RunState::GoesOn, story, beginning, what })
    };
    match event {
        LoopEvent::RunEnded { end, .. } => ended(*end),
        LoopEvent::StoryGivenUp { story, given_up } => {
            let why = give_up_reason(given_up)?;
            goes_on(Kind::StoryFailed, Some(story), "Ralph gave up a story of", why)
        }
        LoopEvent::HookMissing { .. } => goes_on(
            Kind::GuardMissing,
            None,
            "Ralph works without its guard in",
            "the Stop guard did not do its work in a session".into(),
        ),
        // The other tier comes along with this one, or helps before anybody is stuck.
        LoopEvent::Escalated { story, tier: Tier::StrategyShift, .. } => goes_on(
            Kind::Stuck,
            Some(story),
            "Ralph is stuck in",
            "fails in the same way again and again, and is now tried another way".into(),
        ),
        LoopEvent::Waiting { reason: RestReason::UsageLimit, until, .. } => {
            let left = words::span(*until - at);
            let what = format!("the usage limit is reached, and it goes on by itself in {left}");
            goes_on(Kind::LimitReached, None, "Ralph rests in", what)
        }
        _ => None,
    }
}

/// None of a run that the user stopped, who is there then. A signal that ends the program or a lost
/// terminal may come from anywhere.
fn ended(end: RunEnd) -> Option<Occasion<'static>> {
    let (kind, beginning, what) = match end {
        RunEnd::Complete => {
            (Kind::Finished, "Ralph has finished", "the run is complete".to_owned())
        }
        RunEnd::Interrupted | RunEnd::Stopped => return None,
        RunEnd::CostCeiling | RunEnd::QuotaCeiling | RunEnd::TimeUsed => {
            (Kind::LimitReached, "Ralph stopped in", end.to_string())
        }
        RunEnd::IterationsUsed
        | RunEnd::Blocked
        | RunEnd::StoriesFailed
        | RunEnd::PlanMissing
        | RunEnd::AgentFailed
        | RunEnd::ReviewerFailed
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed
        | RunEnd::Terminated
        | RunEnd::HungUp => (Kind::Failed, "Ralph stopped in", end.to_string()),
    };
    Some(Occasion { kind, state: RunState::Over, story: None, beginning, what })
}

/// None of a story that a person skipped.
fn give_up_reason(given_up: &GivenUp) -> Option<String> {
    let attempts = words::count(given_up.attempts, "attempt", "attempts");
    Some(match given_up.reason {
        GiveUpReason::AttemptsUsed => format!("failed after {attempts}"),
        GiveUpReason::Stuck => format!("is stuck: the same failure each time, {attempts}"),
        GiveUpReason::ReviewCap => "has used up its reviews".into(),
        GiveUpReason::Skipped => return None,
    })
}
