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
    /// What sessions of other lanes may still cost.
    #[serde(skip)]
    pub(crate) reserved_usd: f64,
}

impl Counters {
    /// What the next session may not spend of the cost limit.
    pub(crate) fn unavailable_usd(&self) -> f64 {
        self.cost_usd + self.reserved_usd
    }
}

/// What the loop finds to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextWork<Work> {
    Complete,
    Blocked,
    /// All open work has failed, or depends on failed work.
    Failed,
    /// All open work waits for answers of the user, has failed, or depends on such work.
    Asking,
    /// Another lane reached a limit of the run or failed.
    Ended(RunEnd),
    /// Another lane reached the usage limit.
    Limited {
        until: DateTime<Utc>,
    },
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
    /// Another agent takes over the work of one that is at its usage limit.
    pub(crate) is_taken_over: bool,
}

impl IterationResult {
    pub(crate) fn new(outcome: AgentOutcome, step: Step, resets_at: Option<DateTime<Utc>>) -> Self {
        Self { outcome, step, resets_at, is_taken_over: false }
    }

    /// Of a session that did not start.
    pub(crate) fn stopped() -> Self {
        Self::new(AgentOutcome::Stopped, Step::None, None)
    }
}

/// The result of judging an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A legal step that passed every check.
    Accepted,
    /// The story did not advance.
    None,
    /// The session asked the user a question: the story waits.
    Asked,
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

/// Counts an ended iteration.
pub(crate) fn book(
    policy: &RunPolicy,
    mut counters: Counters,
    ended: &IterationResult,
    now: DateTime<Utc>,
) -> Counters {
    match ended.step {
        Step::Accepted => {
            counters.accepted += 1;
            counters.void_reviews = 0;
        }
        // Checks run only after an approval, which is a verdict.
        Step::ChecksFailed => {
            counters.failed += 1;
            counters.void_reviews = 0;
        }
        Step::Undone => counters.failed += 1,
        Step::Void => {
            counters.failed += 1;
            counters.void_reviews += 1;
        }
        Step::Asked => {}
        Step::None if ended.outcome == AgentOutcome::TimedOut => {
            counters.failed += u64::from(policy.on_timeout == OnTimeout::CountIteration);
        }
        Step::None => {}
    }
    match consequence(policy, &counters, ended, now) {
        Consequence::Counted => {
            counters.iterations += 1;
            counters.retries = 0;
        }
        Consequence::Retried => {
            counters.retries += 1;
            counters.failed += u64::from(counters.retries > policy.retries.most);
        }
        Consequence::WaitsForReset(_) | Consequence::Ends(_) | Consequence::Nothing => {}
    }
    counters
}

/// `counters` include the iteration that ended.
pub(crate) fn decide<Work>(
    policy: &RunPolicy,
    counters: &Counters,
    input: LoopInput<Work>,
    now: DateTime<Utc>,
) -> NextAction<Work> {
    match input {
        LoopInput::WorkFound(outlook) => begin(policy, counters, outlook),
        LoopInput::Ended(ended) => match consequence(policy, counters, &ended, now) {
            Consequence::Counted if policy.pause.is_zero() => NextAction::FindWork,
            Consequence::Counted => {
                NextAction::Wait { reason: WaitReason::Pause, until: later(now, policy.pause) }
            }
            Consequence::Retried if counters.retries > policy.retries.most => {
                NextAction::Finish(RunEnd::AgentFailed)
            }
            Consequence::Retried => NextAction::Wait {
                reason: WaitReason::Backoff,
                until: later(now, policy.retries.wait(counters.retries)),
            },
            Consequence::WaitsForReset(until) => {
                NextAction::Wait { reason: WaitReason::UsageLimit, until }
            }
            Consequence::Ends(end) => NextAction::Finish(end),
            Consequence::Nothing => NextAction::FindWork,
        },
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
        NextWork::Asking => return NextAction::Finish(RunEnd::QuestionsOpen),
        NextWork::Ended(end) => return NextAction::Finish(end),
        NextWork::Limited { until } => {
            return NextAction::Wait { reason: WaitReason::UsageLimit, until };
        }
        NextWork::Work(work) => work,
    };
    if counters.void_reviews >= MOST_VOID_REVIEWS {
        return NextAction::Finish(RunEnd::ReviewerFailed);
    }
    if cost_limit_is_reached(policy, counters.cost_usd) {
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

pub(crate) fn cost_limit_is_reached(policy: &RunPolicy, used_usd: f64) -> bool {
    policy.max_cost_usd.is_some_and(|most| used_usd >= most)
}

fn quota_is_reached(policy: &RunPolicy, counters: &Counters) -> bool {
    matches!((policy.max_quota, counters.quota), (Some(most), Some(used)) if used >= most)
}

/// The latest possible date if `wait` exceeds the calendar.
fn later(now: DateTime<Utc>, wait: std::time::Duration) -> DateTime<Utc> {
    let wait = Duration::from_std(wait).unwrap_or(Duration::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// What an ended iteration means for the run.
enum Consequence {
    /// It counts against the limit of iterations.
    Counted,
    /// The same iteration is tried again.
    Retried,
    WaitsForReset(DateTime<Utc>),
    Ends(RunEnd),
    /// The driver handles the stop; the iteration does not count.
    Nothing,
}

/// When the usage limit is over that ended the session, if the run waits for that.
pub(crate) fn waits_until(
    policy: &RunPolicy,
    ended: &IterationResult,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let is_limited =
        ended.outcome == AgentOutcome::UsageLimit && policy.on_usage_limit == OnUsageLimit::Wait;
    reset_after(ended.resets_at, now).filter(|_| is_limited && !ended.is_taken_over)
}

/// The time after a possible reset.
pub(crate) fn reset_after(
    reset: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let reset = reset.filter(|reset| *reset > now && *reset < now + LONGEST_WINDOW);
    reset.map(|reset| reset + RESET_SLACK)
}

/// A step counts however the agent ended. Without one, the agent's outcome decides.
fn consequence(
    policy: &RunPolicy,
    counters: &Counters,
    ended: &IterationResult,
    now: DateTime<Utc>,
) -> Consequence {
    match (ended.step, ended.outcome) {
        (Step::Accepted | Step::Asked | Step::ChecksFailed | Step::Undone | Step::Void, _)
        | (Step::None, AgentOutcome::Answered | AgentOutcome::TurnLimit) => Consequence::Counted,
        (Step::None, AgentOutcome::TimedOut) => match policy.on_timeout {
            OnTimeout::CountIteration => Consequence::Counted,
            OnTimeout::Retry => Consequence::Retried,
        },
        (
            Step::None,
            AgentOutcome::EmptyAnswer | AgentOutcome::Crashed | AgentOutcome::ApiError,
        ) => Consequence::Retried,
        (Step::None, AgentOutcome::UsageLimit) if ended.is_taken_over => Consequence::Nothing,
        (Step::None, AgentOutcome::UsageLimit)
            if policy.on_usage_limit == OnUsageLimit::Stop
                || quota_is_reached(policy, counters) =>
        {
            Consequence::Ends(RunEnd::QuotaCeiling)
        }
        // Retried without a reset time, or with one that has passed without effect or is impossible.
        (Step::None, AgentOutcome::UsageLimit) => {
            waits_until(policy, ended, now).map_or(Consequence::Retried, Consequence::WaitsForReset)
        }
        (Step::None, AgentOutcome::BudgetExhausted) => Consequence::Ends(RunEnd::CostCeiling),
        (Step::None, AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded) => {
            Consequence::Ends(RunEnd::AgentFailed)
        }
        (Step::None, AgentOutcome::Stopped | AgentOutcome::RunnerDied) => Consequence::Nothing,
    }
}

#[cfg(test)]
mod tests;
