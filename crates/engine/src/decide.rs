//! What to do next, as a plain function: counters and what just happened in, new counters and one
//! order out. No process, no disk, no clock of its own.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::options::{OnTimeout, OnUsageLimit, Policy};
use crate::{AgentOutcome, RestReason, RunEnd, StopSignal};

/// A reset that was said to be over may be a moment late.
const RESET_SLACK: Duration = Duration::seconds(5);

/// No usage window is longer than a week: a reset beyond that is a mistake.
const LONGEST_WINDOW: Duration = Duration::days(8);

/// So many reviews in a row without a verdict that counts are the reviewer's fault, and no story's.
pub(crate) const MOST_VOID_REVIEWS: u64 = 3;

/// What a run counts. It survives the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counters {
    /// Iterations that were used up.
    pub(crate) iterations: u64,
    /// Those of them that moved a story.
    pub(crate) accepted: u64,
    /// Those that failed, also as an attempt at their story that took no step.
    pub(crate) failed: u64,
    /// Failures of the agent in a row, in the iteration that is tried.
    pub(crate) retries: u64,
    /// Reviews in a row that gave no verdict that counts.
    #[serde(default)]
    pub(crate) void_reviews: u64,
    pub(crate) cost_usd: f64,
    /// Turns of agents, as far as they tell.
    #[serde(default)]
    pub(crate) turns: u64,
    /// How long the run has worked.
    #[serde(default)]
    pub(crate) worked_seconds: f64,
    /// The largest fraction of a usage window seen last.
    pub(crate) quota: Option<f64>,
}

/// What there is to do, as far as the work itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outlook<Work> {
    Complete,
    Blocked,
    /// What is left has failed, or waits for what has.
    Failed,
    Work(Work),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Happened<Work> {
    /// Somebody looked at what there is to do.
    Looked(Outlook<Work>),
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

/// What the judgement says about the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A legal step that every gate lets pass.
    Accepted,
    /// It did not move.
    None,
    /// A review gave no verdict that counts.
    Void,
    /// The iteration did what it may not.
    Undone,
    GatesFailed,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order<Work> {
    /// See what there is to do.
    Look,
    Iterate(Try, Work),
    Rest {
        reason: RestReason,
        until: DateTime<Utc>,
    },
    Finish(RunEnd),
}

/// The number of an iteration, and of the try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
}

pub(crate) fn decide<Work>(
    policy: &Policy,
    counters: &mut Counters,
    happened: Happened<Work>,
    now: DateTime<Utc>,
) -> Order<Work> {
    match happened {
        Happened::Looked(outlook) => begin(policy, counters, outlook),
        Happened::Ended(ended) => go_on(policy, counters, &ended, now),
        Happened::Rested => Order::Look,
        Happened::StopAsked(signal) => Order::Finish(signal.end()),
    }
}

fn begin<Work>(policy: &Policy, counters: &Counters, outlook: Outlook<Work>) -> Order<Work> {
    let work = match outlook {
        Outlook::Complete => return Order::Finish(RunEnd::Complete),
        Outlook::Blocked => return Order::Finish(RunEnd::Blocked),
        Outlook::Failed => return Order::Finish(RunEnd::StoriesFailed),
        Outlook::Work(work) => work,
    };
    if counters.void_reviews >= MOST_VOID_REVIEWS {
        return Order::Finish(RunEnd::ReviewerFailed);
    }
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
    Order::Iterate(Try { iteration, attempt }, work)
}

fn quota_is_reached(policy: &Policy, counters: &Counters) -> bool {
    matches!((policy.max_quota, counters.quota), (Some(most), Some(used)) if used >= most)
}

/// Far away rather than never, if somebody asks for more than a calendar holds.
fn later(now: DateTime<Utc>, wait: std::time::Duration) -> DateTime<Utc> {
    let wait = Duration::from_std(wait).unwrap_or(Duration::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

fn go_on<Work>(
    policy: &Policy,
    counters: &mut Counters,
    ended: &Ended,
    now: DateTime<Utc>,
) -> Order<Work> {
    match ended.step {
        Step::Accepted => {
            counters.accepted += 1;
            counters.void_reviews = 0;
            use_up(policy, counters, now)
        }
        // Checks are run on what was approved: that was a verdict.
        Step::GatesFailed => {
            counters.failed += 1;
            counters.void_reviews = 0;
            use_up(policy, counters, now)
        }
        Step::Undone => {
            counters.failed += 1;
            use_up(policy, counters, now)
        }
        Step::Void => {
            counters.failed += 1;
            counters.void_reviews += 1;
            use_up(policy, counters, now)
        }
        Step::None => without_step(policy, counters, ended, now),
    }
}

/// Nothing moved: what that means depends on how the agent ended.
fn without_step<Work>(
    policy: &Policy,
    counters: &mut Counters,
    ended: &Ended,
    now: DateTime<Utc>,
) -> Order<Work> {
    match ended.outcome {
        AgentOutcome::Answered | AgentOutcome::TurnLimit => use_up(policy, counters, now),
        AgentOutcome::TimedOut => match policy.on_timeout {
            OnTimeout::UseUp => {
                counters.failed += 1;
                use_up(policy, counters, now)
            }
            OnTimeout::Retry => retry(policy, counters, now),
        },
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

fn use_up<Work>(policy: &Policy, counters: &mut Counters, now: DateTime<Utc>) -> Order<Work> {
    counters.iterations += 1;
    counters.retries = 0;
    if policy.pause.is_zero() {
        return Order::Look;
    }
    Order::Rest { reason: RestReason::Pause, until: later(now, policy.pause) }
}

fn retry<Work>(policy: &Policy, counters: &mut Counters, now: DateTime<Utc>) -> Order<Work> {
    counters.retries += 1;
    if counters.retries > policy.retries.most {
        counters.failed += 1;
        return Order::Finish(RunEnd::AgentFailed);
    }
    let until = later(now, policy.retries.wait(counters.retries));
    Order::Rest { reason: RestReason::Backoff, until }
}

#[cfg(test)]
mod tests;
