//! The status of an iteration, from its agent's outcome and the verdict.

use events::{AgentOutcome, IterationStatus};

use crate::control::Step;
use crate::options::{OnTimeout, RunPolicy};

/// `retries` counts the earlier ones.
pub(crate) fn of(
    outcome: AgentOutcome,
    step: Step,
    policy: &RunPolicy,
    retries: u64,
) -> IterationStatus {
    let failed = || {
        if retries < policy.retries.most {
            IterationStatus::Retried
        } else {
            IterationStatus::Failed
        }
    };
    match (step, outcome) {
        (Step::Accepted, _) => IterationStatus::Accepted,
        (Step::Asked, _) => IterationStatus::Asked,
        (Step::Undone, _) => IterationStatus::Reverted,
        (Step::ChecksFailed, _) => IterationStatus::ChecksFailed,
        (Step::Void, _) => IterationStatus::Void,
        (Step::None, AgentOutcome::Answered | AgentOutcome::TurnLimit) => {
            IterationStatus::NoProgress
        }
        (Step::None, AgentOutcome::TimedOut) => match policy.on_timeout {
            OnTimeout::CountIteration => IterationStatus::TimedOut,
            OnTimeout::Retry => failed(),
        },
        (Step::None, AgentOutcome::Stopped | AgentOutcome::RunnerDied) => IterationStatus::Stopped,
        (
            Step::None,
            AgentOutcome::EmptyAnswer | AgentOutcome::Crashed | AgentOutcome::ApiError,
        ) => failed(),
        (Step::None, AgentOutcome::UsageLimit) => IterationStatus::Retried,
        (
            Step::None,
            AgentOutcome::BudgetExhausted | AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded,
        ) => IterationStatus::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{OnUsageLimit, Retries};

    fn of_failure(outcome: AgentOutcome, retries: u64, on_timeout: OnTimeout) -> IterationStatus {
        let policy = RunPolicy {
            max_iterations: 1,
            max_cost_usd: None,
            max_quota: None,
            on_usage_limit: OnUsageLimit::Wait,
            on_timeout,
            retries: Retries { most: 2, ..Retries::default() },
            pause: std::time::Duration::ZERO,
        };
        of(outcome, Step::None, &policy, retries)
    }

    #[test]
    fn the_last_try_is_no_retry() {
        for outcome in [AgentOutcome::Crashed, AgentOutcome::EmptyAnswer, AgentOutcome::ApiError] {
            let status = |retries| of_failure(outcome, retries, OnTimeout::CountIteration);
            assert_eq!(status(0), IterationStatus::Retried);
            assert_eq!(status(1), IterationStatus::Retried);
            assert_eq!(status(2), IterationStatus::Failed);
        }
    }

    #[test]
    fn a_timeout_depends_on_the_policy() {
        let status = |on_timeout, retries| of_failure(AgentOutcome::TimedOut, retries, on_timeout);
        assert_eq!(status(OnTimeout::CountIteration, 2), IterationStatus::TimedOut);
        assert_eq!(status(OnTimeout::Retry, 1), IterationStatus::Retried);
        assert_eq!(status(OnTimeout::Retry, 2), IterationStatus::Failed);
    }
}
