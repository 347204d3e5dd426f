//! Every outcome in every mode, and the effect of limits on it.

use super::*;
use crate::options::Retries;

const OUTCOMES: [AgentOutcome; 12] = [
    AgentOutcome::Answered,
    AgentOutcome::EmptyAnswer,
    AgentOutcome::TurnLimit,
    AgentOutcome::BudgetExhausted,
    AgentOutcome::UsageLimit,
    AgentOutcome::PromptTooLong,
    AgentOutcome::LoginNeeded,
    AgentOutcome::ApiError,
    AgentOutcome::Crashed,
    AgentOutcome::TimedOut,
    AgentOutcome::Stopped,
    AgentOutcome::RunnerDied,
];

fn policy() -> RunPolicy {
    RunPolicy {
        max_iterations: 15,
        max_cost_usd: None,
        max_quota: None,
        on_usage_limit: OnUsageLimit::Wait,
        on_timeout: OnTimeout::CountIteration,
        retries: Retries::default(),
        pause: std::time::Duration::ZERO,
    }
}

fn now() -> DateTime<Utc> {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn work() -> LoopInput<&'static str> {
    LoopInput::WorkFound(NextWork::Work("US-1"))
}

fn ended(outcome: AgentOutcome, step: Step) -> LoopInput<&'static str> {
    LoopInput::Ended(IterationResult::new(outcome, step, None))
}

fn limited(resets_at: Option<DateTime<Utc>>) -> LoopInput<&'static str> {
    LoopInput::Ended(IterationResult::new(AgentOutcome::UsageLimit, Step::None, resets_at))
}

fn order(
    policy: &RunPolicy,
    counters: &mut Counters,
    input: LoopInput<&'static str>,
) -> NextAction<&'static str> {
    if let LoopInput::Ended(ended) = &input {
        *counters = book(policy, *counters, ended, now());
    }
    decide(policy, counters, input, now())
}

#[test]
fn open_work_starts_the_next_iteration() {
    let mut counters = Counters { iterations: 3, retries: 1, ..Counters::default() };
    let attempt = IterationAttempt { iteration: 4, attempt: 2 };
    assert_eq!(order(&policy(), &mut counters, work()), NextAction::Iterate(attempt, "US-1"));
}

#[test]
fn a_step_counts_however_the_agent_ended() {
    for outcome in OUTCOMES {
        let mut counters = Counters { retries: 2, ..Counters::default() };
        let next = order(&policy(), &mut counters, ended(outcome, Step::Accepted));
        assert_eq!(next, NextAction::FindWork, "{outcome:?}");
        assert_eq!((counters.iterations, counters.accepted, counters.retries), (1, 1, 0));
        for step in [Step::Undone, Step::ChecksFailed] {
            let mut counters = Counters::default();
            assert_eq!(order(&policy(), &mut counters, ended(outcome, step)), NextAction::FindWork);
            assert_eq!((counters.iterations, counters.failed), (1, 1), "{outcome:?} {step:?}");
        }
    }
}

#[test]
fn without_a_step_the_outcome_decides() {
    for outcome in OUTCOMES {
        let mut counters = Counters::default();
        let next = order(&policy(), &mut counters, ended(outcome, Step::None));
        let (expected, used) = match outcome {
            AgentOutcome::Answered | AgentOutcome::TurnLimit | AgentOutcome::TimedOut => {
                (NextAction::FindWork, 1)
            }
            AgentOutcome::Stopped | AgentOutcome::RunnerDied => (NextAction::FindWork, 0),
            AgentOutcome::EmptyAnswer
            | AgentOutcome::Crashed
            | AgentOutcome::ApiError
            | AgentOutcome::UsageLimit => {
                let until = now() + Duration::seconds(5);
                (NextAction::Wait { reason: WaitReason::Backoff, until }, 0)
            }
            AgentOutcome::BudgetExhausted => (NextAction::Finish(RunEnd::CostCeiling), 0),
            AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded => {
                (NextAction::Finish(RunEnd::AgentFailed), 0)
            }
        };
        assert_eq!((next, counters.iterations), (expected, used), "{outcome:?}");
    }
}

#[test]
fn a_timeout_is_a_failed_attempt_and_an_answer_without_a_step_is_not() {
    let mut counters = Counters::default();
    order(&policy(), &mut counters, ended(AgentOutcome::Answered, Step::None));
    assert_eq!(counters.failed, 0);
    order(&policy(), &mut counters, ended(AgentOutcome::TimedOut, Step::None));
    assert_eq!(counters.failed, 1);
}

#[test]
fn failures_of_the_agent_are_retried_with_growing_waits_up_to_the_cap() {
    for outcome in [AgentOutcome::EmptyAnswer, AgentOutcome::Crashed, AgentOutcome::ApiError] {
        let mut counters = Counters::default();
        let waits: Vec<i64> = (0..3)
            .map(|_| match order(&policy(), &mut counters, ended(outcome, Step::None)) {
                NextAction::Wait { reason: WaitReason::Backoff, until } => {
                    (until - now()).num_seconds()
                }
                other => panic!("{outcome:?}: {other:?}"),
            })
            .collect();
        assert_eq!((waits, counters.failed), (vec![5, 10, 20], 0));
        let last = order(&policy(), &mut counters, ended(outcome, Step::None));
        assert_eq!(last, NextAction::Finish(RunEnd::AgentFailed));
        assert_eq!(counters.iterations, 0, "retries do not use up iterations");
        assert_eq!(counters.failed, 1, "and in the end it has failed");
    }
}

#[test]
fn an_answer_in_between_ends_the_row_of_failures() {
    let mut counters = Counters::default();
    for _ in 0..10 {
        order(&policy(), &mut counters, ended(AgentOutcome::Crashed, Step::None));
        order(&policy(), &mut counters, ended(AgentOutcome::Answered, Step::None));
    }
    assert_eq!((counters.iterations, counters.retries), (10, 0));
}

#[test]
fn the_run_waits_for_the_stated_reset_of_a_usage_limit() {
    let reset = now() + Duration::hours(3);
    let limited = limited(Some(reset));
    let mut counters = Counters::default();
    // Waiting never counts as a failure.
    for _ in 0..10 {
        let next = order(&policy(), &mut counters, limited.clone());
        let until = reset + RESET_SLACK;
        assert_eq!(next, NextAction::Wait { reason: WaitReason::UsageLimit, until });
    }
    assert_eq!(counters, Counters::default());
    let stopping = RunPolicy { on_usage_limit: OnUsageLimit::Stop, ..policy() };
    assert_eq!(order(&stopping, &mut counters, limited), NextAction::Finish(RunEnd::QuotaCeiling));
}

#[test]
fn the_run_does_not_wait_forever_for_a_past_reset() {
    let limited = limited(Some(now() - Duration::seconds(1)));
    let mut counters = Counters::default();
    for _ in 0..3 {
        let next = order(&policy(), &mut counters, limited.clone());
        assert!(matches!(next, NextAction::Wait { reason: WaitReason::Backoff, .. }));
    }
    assert_eq!(order(&policy(), &mut counters, limited), NextAction::Finish(RunEnd::AgentFailed));
}

#[test]
fn the_run_does_not_wait_for_an_impossible_reset() {
    let limited = limited(Some(now() + Duration::days(400)));
    let next = order(&policy(), &mut Counters::default(), limited);
    assert!(matches!(next, NextAction::Wait { reason: WaitReason::Backoff, .. }), "{next:?}");
}

#[test]
fn a_quota_limit_ends_the_run_without_waiting() {
    let busy = RunPolicy { max_quota: Some(0.9), ..policy() };
    let mut counters = Counters { quota: Some(1.0), ..Counters::default() };
    let limited = limited(Some(now() + Duration::hours(3)));
    assert_eq!(order(&busy, &mut counters, limited), NextAction::Finish(RunEnd::QuotaCeiling));
}

#[test]
fn a_pause_beyond_the_calendar_does_not_panic() {
    let policy = RunPolicy { pause: std::time::Duration::MAX, ..policy() };
    let next =
        order(&policy, &mut Counters::default(), ended(AgentOutcome::Answered, Step::Accepted));
    assert!(matches!(next, NextAction::Wait { reason: WaitReason::Pause, .. }));
}

#[test]
fn ceilings_end_the_run_before_the_next_iteration_but_not_a_complete_one() {
    let costly = RunPolicy { max_cost_usd: Some(2.0), ..policy() };
    let busy = RunPolicy { max_quota: Some(0.9), ..policy() };
    let mut spent = Counters { cost_usd: 2.0, quota: Some(0.95), ..Counters::default() };
    let next = order(&costly, &mut spent, work());
    assert_eq!(next, NextAction::Finish(RunEnd::CostCeiling));
    assert_eq!(order(&busy, &mut spent, work()), NextAction::Finish(RunEnd::QuotaCeiling));
    assert!(matches!(order(&policy(), &mut spent, work()), NextAction::Iterate(..)));
    for policy in [&costly, &busy] {
        let next = order(policy, &mut spent, LoopInput::WorkFound(NextWork::Complete));
        assert_eq!(next, NextAction::Finish(RunEnd::Complete));
    }
    let mut below = Counters { cost_usd: 1.99, quota: Some(0.89), ..Counters::default() };
    assert!(matches!(order(&costly, &mut below, work()), NextAction::Iterate(..)));
    assert!(matches!(order(&busy, &mut below, work()), NextAction::Iterate(..)));
}

#[test]
fn the_last_iteration_may_complete_the_list_and_no_further_one_begins() {
    let mut counters = Counters { iterations: 15, ..Counters::default() };
    let next = order(&policy(), &mut counters, work());
    assert_eq!(next, NextAction::Finish(RunEnd::IterationsUsed));
    let next = order(&policy(), &mut counters, LoopInput::WorkFound(NextWork::Complete));
    assert_eq!(next, NextAction::Finish(RunEnd::Complete));
    let mut one_left = Counters { iterations: 14, ..Counters::default() };
    assert!(matches!(order(&policy(), &mut one_left, work()), NextAction::Iterate(..)));
}

#[test]
fn a_blocked_plan_ends_the_run() {
    let blocked = LoopInput::WorkFound(NextWork::Blocked);
    let next = order(&policy(), &mut Counters::default(), blocked);
    assert_eq!(next, NextAction::Finish(RunEnd::Blocked));
}

#[test]
fn a_timed_out_session_without_judgement_is_retried() {
    let policy = RunPolicy { on_timeout: OnTimeout::Retry, ..policy() };
    let mut counters = Counters::default();
    let next = order(&policy, &mut counters, ended(AgentOutcome::TimedOut, Step::None));
    assert!(matches!(next, NextAction::Wait { reason: WaitReason::Backoff, .. }), "{next:?}");
    assert_eq!((counters.iterations, counters.retries), (0, 1));
}

#[test]
fn a_pause_lies_between_iterations_and_not_before_a_retry() {
    let policy = RunPolicy { pause: std::time::Duration::from_secs(30), ..policy() };
    let mut counters = Counters::default();
    let next = order(&policy, &mut counters, ended(AgentOutcome::Answered, Step::Accepted));
    let until = now() + Duration::seconds(30);
    assert_eq!(next, NextAction::Wait { reason: WaitReason::Pause, until });
    assert_eq!(order(&policy, &mut counters, LoopInput::WaitOver), NextAction::FindWork);
    let next = order(&policy, &mut counters, ended(AgentOutcome::Crashed, Step::None));
    assert!(matches!(next, NextAction::Wait { reason: WaitReason::Backoff, .. }));
}

#[test]
fn a_stop_names_its_signal() {
    let stop =
        |signal| order(&policy(), &mut Counters::default(), LoopInput::StopRequested(signal));
    assert_eq!(stop(StopSignal::Interrupt), NextAction::Finish(RunEnd::Interrupted));
    assert_eq!(stop(StopSignal::Terminate), NextAction::Finish(RunEnd::Terminated));
}

fn after(steps: &[Step]) -> Counters {
    let mut counters = Counters::default();
    for step in steps {
        order(&policy(), &mut counters, ended(AgentOutcome::Answered, *step));
    }
    counters
}

#[test]
fn a_void_review_counts_and_is_repeated() {
    for outcome in OUTCOMES {
        let mut counters = Counters::default();
        let next = order(&policy(), &mut counters, ended(outcome, Step::Void));
        assert_eq!(next, NextAction::FindWork, "{outcome:?}");
        assert_eq!((counters.iterations, counters.failed, counters.void_reviews), (1, 1, 1));
    }
}

#[test]
fn three_void_reviews_in_a_row_end_the_run_and_a_verdict_resets_the_count() {
    use Step::{Accepted, ChecksFailed, None, Undone, Void};
    for (steps, ends) in [
        (vec![Void, Void], false),
        (vec![Void, Void, Void], true),
        (vec![Void, Undone, Void, None, Void], true),
        (vec![Void, Void, Accepted, Void], false),
        (vec![Void, Void, ChecksFailed, Void], false),
    ] {
        let mut counters = after(&steps);
        let next = order(&policy(), &mut counters, work());
        assert_eq!(next == NextAction::Finish(RunEnd::ReviewerFailed), ends, "{steps:?}");
    }
    let complete = LoopInput::WorkFound(NextWork::Complete);
    let next = order(&policy(), &mut after(&[Void; 3]), complete);
    assert_eq!(next, NextAction::Finish(RunEnd::Complete), "nothing is left to review");
}
