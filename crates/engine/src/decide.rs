//! What to do next, as a plain function: counters and what just happened in, new counters and one
//! order out. No process, no disk, no clock of its own.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use tasks::{Mode, Selection, StoryId};

use crate::options::{OnUsageLimit, Policy};
use crate::{AgentOutcome, RestReason, RunEnd, StopSignal};

/// A reset that was said to be over may be a moment late.
const RESET_SLACK: Duration = Duration::seconds(5);

/// No usage window is longer than a week: a reset beyond that is a mistake.
const LONGEST_WINDOW: Duration = Duration::days(8);

/// What a run counts. It survives the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counters {
    /// Iterations that were used up.
    pub(crate) iterations: u64,
    /// Those of them that moved a story.
    pub(crate) accepted: u64,
    pub(crate) failed: u64,
    /// Failures of the agent in a row, in the iteration that is tried.
    pub(crate) retries: u64,
    pub(crate) cost_usd: f64,
    /// The largest fraction of a usage window seen last.
    pub(crate) quota: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Happened {
    /// The task list was looked at.
    Looked(Selection),
    /// A session of the agent ended and its result was judged.
    Ended(Ended),
    /// A rest is over.
    Rested,
    /// The user wants the run to end; whatever was running has ended.
    StopAsked(StopSignal),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ended {
    pub(crate) outcome: AgentOutcome,
    pub(crate) step: Step,
    /// When a usage limit is reset, if it said so.
    pub(crate) resets_at: Option<DateTime<Utc>>,
}

/// What the judgement says about the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It took a legal step that every gate lets pass.
    Accepted,
    /// It did not move.
    None,
    /// The iteration did what it may not.
    Undone,
    GatesFailed,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// Read the task list and select.
    Look,
    Iterate(Assignment),
    Rest {
        reason: RestReason,
        until: DateTime<Utc>,
    },
    Finish(RunEnd),
}

/// One iteration: what is to be done, and the number of the try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assignment {
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
    pub(crate) mode: Mode,
    pub(crate) story: StoryId,
}

pub(crate) fn decide(
    policy: &Policy,
    counters: &mut Counters,
    happened: Happened,
    now: DateTime<Utc>,
) -> Order {
    match happened {
        Happened::Looked(selection) => begin(policy, counters, selection),
        Happened::Ended(ended) => go_on(policy, counters, &ended, now),
        Happened::Rested => Order::Look,
        Happened::StopAsked(signal) => Order::Finish(signal.end()),
    }
}

fn begin(policy: &Policy, counters: &Counters, selection: Selection) -> Order {
    let (mode, story) = match selection {
        Selection::Complete => return Order::Finish(RunEnd::Complete),
        Selection::Blocked(_) => return Order::Finish(RunEnd::Blocked),
        Selection::Work { mode, story } => (mode, story),
    };
    if policy.max_cost_usd.is_some_and(|most| counters.cost_usd >= most) {
        return Order::Finish(RunEnd::CostCeiling);
    }
    if quota_is_reached(policy, counters) {
        return Order::Finish(RunEnd::QuotaCeiling);
    }
    if counters.iterations >= policy.max_iterations {
        return Order::Finish(RunEnd::IterationsUsed);
    }
    let (iteration, attempt) = (counters.iterations + 1, counters.retries + 1);
    Order::Iterate(Assignment { iteration, attempt, mode, story })
}

fn quota_is_reached(policy: &Policy, counters: &Counters) -> bool {
    matches!((policy.max_quota, counters.quota), (Some(most), Some(used)) if used >= most)
}

/// Far away rather than never, if somebody asks for more than a calendar holds.
fn later(now: DateTime<Utc>, wait: std::time::Duration) -> DateTime<Utc> {
    let wait = Duration::from_std(wait).unwrap_or(Duration::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

fn go_on(policy: &Policy, counters: &mut Counters, ended: &Ended, now: DateTime<Utc>) -> Order {
    match ended.step {
        Step::Accepted => {
            counters.accepted += 1;
            use_up(policy, counters, now)
        }
        Step::Undone | Step::GatesFailed => {
            counters.failed += 1;
            use_up(policy, counters, now)
        }
        Step::None => without_step(policy, counters, ended, now),
    }
}

/// Nothing moved: what that means depends on how the agent ended.
fn without_step(
    policy: &Policy,
    counters: &mut Counters,
    ended: &Ended,
    now: DateTime<Utc>,
) -> Order {
    match ended.outcome {
        AgentOutcome::Answered | AgentOutcome::TurnLimit => use_up(policy, counters, now),
        AgentOutcome::TimedOut => {
            counters.failed += 1;
            use_up(policy, counters, now)
        }
        AgentOutcome::EmptyAnswer | AgentOutcome::Crashed | AgentOutcome::ApiError => {
            retry(policy, counters, now)
        }
        AgentOutcome::UsageLimit => match (policy.on_usage_limit, ended.resets_at) {
            (OnUsageLimit::Stop, _) => Order::Finish(RunEnd::QuotaCeiling),
            (OnUsageLimit::Wait, _) if quota_is_reached(policy, counters) => {
                Order::Finish(RunEnd::QuotaCeiling)
            }
            (OnUsageLimit::Wait, Some(reset)) if reset > now && reset < now + LONGEST_WINDOW => {
                Order::Rest { reason: RestReason::UsageLimit, until: reset + RESET_SLACK }
            }
            // No time to wait for, or one that has passed and did not help, or none that can be.
            (OnUsageLimit::Wait, _) => retry(policy, counters, now),
        },
        AgentOutcome::BudgetExhausted => Order::Finish(RunEnd::CostCeiling),
        AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded => {
            Order::Finish(RunEnd::AgentFailed)
        }
        // The driver says separately that the user wants to stop; the iteration is not used up.
        AgentOutcome::Stopped | AgentOutcome::RunnerDied => Order::Look,
    }
}

fn use_up(policy: &Policy, counters: &mut Counters, now: DateTime<Utc>) -> Order {
    counters.iterations += 1;
    counters.retries = 0;
    if policy.pause.is_zero() {
        return Order::Look;
    }
    Order::Rest { reason: RestReason::Pause, until: later(now, policy.pause) }
}

fn retry(policy: &Policy, counters: &mut Counters, now: DateTime<Utc>) -> Order {
    counters.retries += 1;
    if counters.retries > policy.retries.most {
        return Order::Finish(RunEnd::AgentFailed);
    }
    let until = later(now, policy.retries.wait(counters.retries));
    Order::Rest { reason: RestReason::Backoff, until }
}

#[cfg(test)]
mod tests;
