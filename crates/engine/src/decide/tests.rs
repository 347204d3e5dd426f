//! Every outcome in every mode, and what the ceilings do to it.

use super::*;
use crate::limits::Retries;

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

fn policy() -> Policy {
    Policy {
        max_iterations: 15,
        max_cost_usd: None,
        max_quota: None,
        on_usage_limit: OnUsageLimit::Wait,
        on_timeout: OnTimeout::UseUp,
        retries: Retries::default(),
        pause: std::time::Duration::ZERO,
    }
}

fn now() -> DateTime<Utc> {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn work() -> Happened<&'static str> {
    Happened::Looked(Outlook::Work("US-1"))
}

fn ended(outcome: AgentOutcome, step: Step) -> Happened<&'static str> {
    Happened::Ended(Ended { outcome, step, resets_at: None })
}

fn order(
    policy: &Policy,
    counters: &mut Counters,
    happened: Happened<&'static str>,
) -> Order<&'static str> {
    decide(policy, counters, happened, now())
}

#[test]
fn what_there_is_to_do_is_done_under_the_next_number() {
    let mut counters = Counters { iterations: 3, retries: 1, ..Counters::default() };
    let attempt = Try { iteration: 4, attempt: 2 };
    assert_eq!(order(&policy(), &mut counters, work()), Order::Iterate(attempt, "US-1"));
}

#[test]
fn a_step_uses_the_iteration_up_however_the_agent_ended() {
    for outcome in OUTCOMES {
        let mut counters = Counters { retries: 2, ..Counters::default() };
        let next = order(&policy(), &mut counters, ended(outcome, Step::Accepted));
        assert_eq!(next, Order::Look, "{outcome:?}");
        assert_eq!((counters.iterations, counters.accepted, counters.retries), (1, 1, 0));
        for step in [Step::Undone, Step::GatesFailed] {
            let mut counters = Counters::default();
            assert_eq!(order(&policy(), &mut counters, ended(outcome, step)), Order::Look);
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
                (Order::Look, 1)
            }
            AgentOutcome::Stopped | AgentOutcome::RunnerDied => (Order::Look, 0),
            AgentOutcome::EmptyAnswer
            | AgentOutcome::Crashed
            | AgentOutcome::ApiError
            | AgentOutcome::UsageLimit => {
                let until = now() + Duration::seconds(5);
                (Order::Rest { reason: RestReason::Backoff, until }, 0)
            }
            AgentOutcome::BudgetExhausted => (Order::Finish(RunEnd::CostCeiling), 0),
            AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded => {
                (Order::Finish(RunEnd::AgentFailed), 0)
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
                Order::Rest { reason: RestReason::Backoff, until } => (until - now()).num_seconds(),
                other => panic!("{outcome:?}: {other:?}"),
            })
            .collect();
        assert_eq!((waits, counters.failed), (vec![5, 10, 20], 0));
        let last = order(&policy(), &mut counters, ended(outcome, Step::None));
        assert_eq!(last, Order::Finish(RunEnd::AgentFailed));
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
fn a_usage_limit_is_waited_out_until_its_stated_reset() {
    let reset = now() + Duration::hours(3);
    let limited = Happened::Ended(Ended {
        outcome: AgentOutcome::UsageLimit,
        step: Step::None,
        resets_at: Some(reset),
    });
    let mut counters = Counters::default();
    // However often it happens: waiting is no failure.
    for _ in 0..10 {
        let next = order(&policy(), &mut counters, limited.clone());
        let until = reset + RESET_SLACK;
        assert_eq!(next, Order::Rest { reason: RestReason::UsageLimit, until });
    }
    assert_eq!(counters, Counters::default());
    let stopping = Policy { on_usage_limit: OnUsageLimit::Stop, ..policy() };
    assert_eq!(order(&stopping, &mut counters, limited), Order::Finish(RunEnd::QuotaCeiling));
}

#[test]
fn a_reset_in_the_past_is_not_waited_for_for_ever() {
    let limited = Happened::Ended(Ended {
        outcome: AgentOutcome::UsageLimit,
        step: Step::None,
        resets_at: Some(now() - Duration::seconds(1)),
    });
    let mut counters = Counters::default();
    for _ in 0..3 {
        let next = order(&policy(), &mut counters, limited.clone());
        assert!(matches!(next, Order::Rest { reason: RestReason::Backoff, .. }));
    }
    assert_eq!(order(&policy(), &mut counters, limited), Order::Finish(RunEnd::AgentFailed));
}

#[test]
fn a_reset_that_cannot_be_is_not_waited_for() {
    let limited = Happened::Ended(Ended {
        outcome: AgentOutcome::UsageLimit,
        step: Step::None,
        resets_at: Some(now() + Duration::days(400)),
    });
    let next = order(&policy(), &mut Counters::default(), limited);
    assert!(matches!(next, Order::Rest { reason: RestReason::Backoff, .. }), "{next:?}");
}

#[test]
fn a_quota_ceiling_is_not_slept_out() {
    let busy = Policy { max_quota: Some(0.9), ..policy() };
    let mut counters = Counters { quota: Some(1.0), ..Counters::default() };
    let limited = Happened::Ended(Ended {
        outcome: AgentOutcome::UsageLimit,
        step: Step::None,
        resets_at: Some(now() + Duration::hours(3)),
    });
    assert_eq!(order(&busy, &mut counters, limited), Order::Finish(RunEnd::QuotaCeiling));
}

#[test]
fn a_pause_beyond_the_calendar_is_no_panic() {
    let policy = Policy { pause: std::time::Duration::MAX, ..policy() };
    let next =
        order(&policy, &mut Counters::default(), ended(AgentOutcome::Answered, Step::Accepted));
    assert!(matches!(next, Order::Rest { reason: RestReason::Pause, .. }));
}

#[test]
fn ceilings_end_the_run_before_the_next_iteration_but_not_a_complete_one() {
    let costly = Policy { max_cost_usd: Some(2.0), ..policy() };
    let busy = Policy { max_quota: Some(0.9), ..policy() };
    let mut spent = Counters { cost_usd: 2.0, quota: Some(0.95), ..Counters::default() };
    let next = order(&costly, &mut spent, work());
    assert_eq!(next, Order::Finish(RunEnd::CostCeiling));
    assert_eq!(order(&busy, &mut spent, work()), Order::Finish(RunEnd::QuotaCeiling));
    assert!(matches!(order(&policy(), &mut spent, work()), Order::Iterate(..)));
    for policy in [&costly, &busy] {
        let next = order(policy, &mut spent, Happened::Looked(Outlook::Complete));
        assert_eq!(next, Order::Finish(RunEnd::Complete));
    }
    let mut below = Counters { cost_usd: 1.99, quota: Some(0.89), ..Counters::default() };
    assert!(matches!(order(&costly, &mut below, work()), Order::Iterate(..)));
    assert!(matches!(order(&busy, &mut below, work()), Order::Iterate(..)));
}

#[test]
fn the_last_iteration_may_complete_the_list_and_no_further_one_begins() {
    let mut counters = Counters { iterations: 15, ..Counters::default() };
    let next = order(&policy(), &mut counters, work());
    assert_eq!(next, Order::Finish(RunEnd::IterationsUsed));
    let next = order(&policy(), &mut counters, Happened::Looked(Outlook::Complete));
    assert_eq!(next, Order::Finish(RunEnd::Complete));
    let mut one_left = Counters { iterations: 14, ..Counters::default() };
    assert!(matches!(order(&policy(), &mut one_left, work()), Order::Iterate(..)));
}

#[test]
fn a_plan_that_waits_for_itself_ends_the_run() {
    let blocked = Happened::Looked(Outlook::Blocked);
    let next = order(&policy(), &mut Counters::default(), blocked);
    assert_eq!(next, Order::Finish(RunEnd::Blocked));
}

#[test]
fn where_nothing_is_judged_after_it_a_session_that_took_too_long_is_tried_again() {
    let policy = Policy { on_timeout: OnTimeout::Retry, ..policy() };
    let mut counters = Counters::default();
    let next = order(&policy, &mut counters, ended(AgentOutcome::TimedOut, Step::None));
    assert!(matches!(next, Order::Rest { reason: RestReason::Backoff, .. }), "{next:?}");
    assert_eq!((counters.iterations, counters.retries), (0, 1));
}

#[test]
fn a_pause_lies_between_iterations_and_not_before_a_retry() {
    let policy = Policy { pause: std::time::Duration::from_secs(30), ..policy() };
    let mut counters = Counters::default();
    let next = order(&policy, &mut counters, ended(AgentOutcome::Answered, Step::Accepted));
    let until = now() + Duration::seconds(30);
    assert_eq!(next, Order::Rest { reason: RestReason::Pause, until });
    assert_eq!(order(&policy, &mut counters, Happened::Rested), Order::Look);
    let next = order(&policy, &mut counters, ended(AgentOutcome::Crashed, Step::None));
    assert!(matches!(next, Order::Rest { reason: RestReason::Backoff, .. }));
}

#[test]
fn a_stop_names_its_signal() {
    let stop = |signal| order(&policy(), &mut Counters::default(), Happened::StopAsked(signal));
    assert_eq!(stop(StopSignal::Interrupt), Order::Finish(RunEnd::Interrupted));
    assert_eq!(stop(StopSignal::Terminate), Order::Finish(RunEnd::Terminated));
}

fn after(steps: &[Step]) -> Counters {
    let mut counters = Counters::default();
    for step in steps {
        order(&policy(), &mut counters, ended(AgentOutcome::Answered, *step));
    }
    counters
}

#[test]
fn a_void_review_uses_the_iteration_up_and_is_repeated() {
    for outcome in OUTCOMES {
        let mut counters = Counters::default();
        let next = order(&policy(), &mut counters, ended(outcome, Step::Void));
        assert_eq!(next, Order::Look, "{outcome:?}");
        assert_eq!((counters.iterations, counters.failed, counters.void_reviews), (1, 1, 1));
    }
}

#[test]
fn three_void_reviews_in_a_row_end_the_run_and_a_verdict_starts_anew() {
    use Step::{Accepted, GatesFailed, None, Undone, Void};
    for (steps, ends) in [
        (vec![Void, Void], false),
        (vec![Void, Void, Void], true),
        (vec![Void, Undone, Void, None, Void], true),
        (vec![Void, Void, Accepted, Void], false),
        (vec![Void, Void, GatesFailed, Void], false),
    ] {
        let mut counters = after(&steps);
        let next = order(&policy(), &mut counters, work());
        assert_eq!(next == Order::Finish(RunEnd::ReviewerFailed), ends, "{steps:?}");
    }
    let complete = Happened::Looked(Outlook::Complete);
    let next = order(&policy(), &mut after(&[Void; 3]), complete);
    assert_eq!(next, Order::Finish(RunEnd::Complete), "nothing is left to review");
}
