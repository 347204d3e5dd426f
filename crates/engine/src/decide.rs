//! Decides what to do next, as a pure function: counters and the last event in, new counters and one
//! action out. No process, no disk, no clock.

use chrono::{DateTime, Duration, Utc};
use events::{AgentOutcome, RunEnd, StopSignal, WaitReason};
use serde::{Deserialize, Serialize};

use crate::options::{OnTimeout, OnUsageLimit, RunPolicy};

/// A usage limit may reset slightly later than announced.
const RESET_SLACK: Duration = Duration::seconds(5);

/// No usage window is longer than a week: a later reset is an error.
const LONGEST_WINDOW: Duration = Duration::days(8);

/// After this many reviews in a row without a valid verdict, the run ends: the reviewer failed, not a story.
pub(crate) const MOST_VOID_REVIEWS: u64 = 3;

/// Counters of a run; saved in its state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counters {
    /// Iterations that count against the limit.
    pub(crate) iterations: u64,
    /// Iterations that advanced a story.
    pub(crate) accepted: u64,
    /// Iterations that failed, including failed attempts at a story.
    pub(crate) failed: u64,
    /// Failures of the agent in a row, within the current iteration.
    pub(crate) retries: u64,
    /// Reviews in a row without a valid verdict.
    #[serde(default)]
    pub(crate) void_reviews: u64,
    pub(crate) cost_usd: f64,
    /// Turns of agents, as far as they report them.
    #[serde(default)]
    pub(crate) turns: u64,
    /// Working time of the run.
    #[serde(default)]
    pub(crate) worked_seconds: f64,
    /// The highest fraction of a usage window, as reported last.
    pub(crate) quota: Option<f64>,
}

/// What the loop finds to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextWork<Work> {
    Complete,
    Blocked,
    /// All open work has failed, or depends on failed work.
    Failed,
    Work(Work),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LoopInput<Work> {
    /// The loop looked for work.
    WorkFound(NextWork<Work>),
    /// An agent's session ended and its result was judged.
    Ended(IterationResult),
    /// A wait is over.
    WaitOver,
    /// The user stops the run; the session or check has ended.
    StopRequested(StopSignal),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct IterationResult {
    pub(crate) outcome: AgentOutcome,
    pub(crate) step: Step,
    /// When the usage limit resets, if known.
    pub(crate) resets_at: Option<DateTime<Utc>>,
}

/// The result of judging an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A legal step that passed every check.
    Accepted,
    /// The story did not advance.
    None,
    /// A review without a valid verdict.
    Void,
    /// The iteration broke a rule.
    Undone,
    ChecksFailed,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NextAction<Work> {
    FindWork,
    Iterate(IterationAttempt, Work),
    Wait { reason: WaitReason, until: DateTime<Utc> },
    Finish(RunEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IterationAttempt {
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
}

pub(crate) fn decide<Work>(
    policy: &RunPolicy,
    counters: &mut Counters,
    input: LoopInput<Work>,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    match input {
        LoopInput::WorkFound(next_work) => begin(policy, counters, next_work),
        LoopInput::Ended(ended) => after_session(policy, counters, &ended, now),
        LoopInput::WaitOver => NextAction::FindWork,
        LoopInput::StopRequested(signal) => NextAction::Finish(signal.end()),
    }
}

fn begin<Work>(
    policy: &RunPolicy,
    counters: &Counters,
    next_work: NextWork<Work>,
) -> NextAction<Work> {
    let work = match next_work {
        NextWork::Complete => return NextAction::Finish(RunEnd::Complete),
        NextWork::Blocked => return NextAction::Finish(RunEnd::Blocked),
        NextWork::Failed => return NextAction::Finish(RunEnd::StoriesFailed),
        NextWork::Work(work) => work,
    };
    if counters.void_reviews >= MOST_VOID_REVIEWS {
        return NextAction::Finish(RunEnd::ReviewerFailed);
    }
    if policy.max_cost_usd.is_some_and(|most| counters.cost_usd >= most) {
        return NextAction::Finish(RunEnd::CostCeiling);
    }
    if quota_is_reached(policy, counters) {
        return NextAction::Finish(RunEnd::QuotaCeiling);
    }
    if counters.iterations >= policy.max_iterations {
        return NextAction::Finish(RunEnd::IterationsUsed);
    }
    let (iteration, attempt) = (counters.iterations + 1, counters.retries + 1);
    NextAction::Iterate(IterationAttempt { iteration, attempt }, work)
}

fn quota_is_reached(policy: &RunPolicy, counters: &Counters) -> bool {
    matches!((policy.max_quota, counters.quota), (Some(most), Some(used)) if used >= most)
}

/// The latest possible date if `wait` exceeds the calendar.
fn later(now: DateTime<Utc>, wait: std::time::Duration) -> DateTime<Utc> {
    let wait = Duration::from_std(wait).unwrap_or(Duration::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

fn after_session<Work>(
    policy: &RunPolicy,
    counters: &mut Counters,
    ended: &IterationResult,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    match ended.step {
        Step::Accepted => {
            counters.accepted += 1;
            counters.void_reviews = 0;
            count_iteration(policy, counters, now)
        }
        // Checks run only after an approval, which is a verdict.
        Step::ChecksFailed => {
            counters.failed += 1;
            counters.void_reviews = 0;
            count_iteration(policy, counters, now)
        }
        Step::Undone => {
            counters.failed += 1;
            count_iteration(policy, counters, now)
        }
        Step::Void => {
            counters.failed += 1;
            counters.void_reviews += 1;
            count_iteration(policy, counters, now)
        }
        Step::None => without_step(policy, counters, ended, now),
    }
}

/// Nothing advanced: the agent's outcome decides.
fn without_step<Work>(
    policy: &RunPolicy,
    counters: &mut Counters,
    ended: &IterationResult,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    match ended.outcome {
        AgentOutcome::Answered | AgentOutcome::TurnLimit => count_iteration(policy, counters, now),
        AgentOutcome::TimedOut => match policy.on_timeout {
            OnTimeout::CountIteration => {
                counters.failed += 1;
                count_iteration(policy, counters, now)
            }
            OnTimeout::Retry => retry(policy, counters, now),
        },
        AgentOutcome::EmptyAnswer | AgentOutcome::Crashed | AgentOutcome::ApiError => {
            retry(policy, counters, now)
        }
        AgentOutcome::UsageLimit => match (policy.on_usage_limit, ended.resets_at) {
            (OnUsageLimit::Stop, _) => NextAction::Finish(RunEnd::QuotaCeiling),
            (OnUsageLimit::Wait, _) if quota_is_reached(policy, counters) => {
                NextAction::Finish(RunEnd::QuotaCeiling)
            }
            (OnUsageLimit::Wait, Some(reset)) if reset > now && reset < now + LONGEST_WINDOW => {
                NextAction::Wait { reason: WaitReason::UsageLimit, until: reset + RESET_SLACK }
            }
            // No reset time, one that has passed without effect, or an impossible one.
            (OnUsageLimit::Wait, _) => retry(policy, counters, now),
        },
        AgentOutcome::BudgetExhausted => NextAction::Finish(RunEnd::CostCeiling),
        AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded => {
            NextAction::Finish(RunEnd::AgentFailed)
        }
        // The driver handles the stop; the iteration does not count.
        AgentOutcome::Stopped | AgentOutcome::RunnerDied => NextAction::FindWork,
    }
}

fn count_iteration<Work>(
    policy: &RunPolicy,
    counters: &mut Counters,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    counters.iterations += 1;
    counters.retries = 0;
    if policy.pause.is_zero() {
        return NextAction::FindWork;
    }
    NextAction::Wait { reason: WaitReason::Pause, until: later(now, policy.pause) }
}

fn retry<Work>(
    policy: &RunPolicy,
    counters: &mut Counters,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    counters.retries += 1;
    if counters.retries > policy.retries.most {
        counters.failed += 1;
        return NextAction::Finish(RunEnd::AgentFailed);
    }
    let until = later(now, policy.retries.wait(counters.retries));
    NextAction::Wait { reason: WaitReason::Backoff, until }
}

#[cfg(test)]
mod tests;
