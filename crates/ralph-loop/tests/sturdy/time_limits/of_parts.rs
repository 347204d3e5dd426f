//! Hard limits of a session and of a check: all of its processes end, the attempt has failed, and
//! the loop continues.

use events::{
    AgentOutcome, CheckOutcome, EscalationTier, Gate, IterationStatus, LoopEvent, RunEnd,
};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};
use tasks::ReviewStatus;

use super::{
    ample, assert_end, assert_half_kept, fresh, hangs, is_start, project, rejected, submitted,
};
use crate::harness::Finished;

/// Gate and hash of every failed attempt.
fn attempts(ended: &Finished) -> Vec<(Gate, String, u64)> {
    let failed = ended.events.iter().filter_map(|event| match event {
        LoopEvent::AttemptFailed(events::AttemptFailed { gate, error_hash, repeats, .. }) => {
            Some((*gate, error_hash.clone(), *repeats))
        }
        _ => None,
    });
    failed.collect()
}

fn statuses(ended: &Finished) -> Vec<IterationStatus> {
    let all = ended.events.iter().filter_map(|event| match event {
        LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(*status),
        _ => None,
    });
    all.collect()
}

#[test]
fn a_session_is_ended_with_its_processes_and_the_loop_continues() {
    let limit = ample();
    let cases = [
        (Mode::Implement, fresh(), json!({"iteration": limit}), Gate::Implement),
        (Mode::ReviewFix, rejected(), json!({"iteration": limit}), Gate::Implement),
        (Mode::Review, submitted(), json!({"review": limit}), Gate::SpecReview),
    ];
    for (mode, story, limits, gate) in cases {
        let project = project(&story, &[], &limits);
        let scenario = Scenario::new().rule(When::mode(mode).visit(1), hangs(mode));
        project.scenario(&scenario.otherwise([Act::finish("Later.")]));
        let ended = project.run(&["-n", "2"]);
        assert_end(&project, &ended, RunEnd::IterationsUsed);
        assert_eq!(statuses(&ended)[0], IterationStatus::TimedOut, "{mode}");
        assert_eq!(ended.count(is_start), 2, "{mode}");
        let failed = attempts(&ended);
        assert_eq!(failed[0].0, gate, "{mode}: {failed:?}");
        ended.assert_event("the child that was left", |event| {
            matches!(event, LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::TimedOut, leftovers, .. })
                if leftovers.iter().any(|name| name.contains("sleep")))
        });
        assert_half_kept(&project, mode);
    }
}

/// Says something else each time before it hangs.
const CHECK: &str = "echo x >>../runs; case $(wc -l <../runs) in 1) echo 'alpha is not found';; \
                     2) echo 'FAILED beta: 1 != 2';; *) echo gamma; echo delta;; esac; sleep 600";

#[test]
fn checks_that_are_cut_off_are_one_failure_wherever_they_were_cut_and_get_stuck() {
    let project = project(&fresh(), &[CHECK], &json!({"guardrail": "400ms"}));
    let ended = project.run(&["-n", "4"]);
    assert_end(&project, &ended, RunEnd::IterationsUsed);
    assert_eq!(statuses(&ended), [IterationStatus::ChecksFailed; 4]);
    let outcomes = ended.count(|event| {
        matches!(
            event,
            LoopEvent::CheckEnded(events::CheckRecord { outcome: CheckOutcome::TimedOut, .. })
        )
    });
    assert_eq!(outcomes, 4);
    let failed = attempts(&ended);
    let hash = &failed[0].1;
    let expected: Vec<_> = (1..=4).map(|repeats| (Gate::Tests, hash.clone(), repeats)).collect();
    assert_eq!(failed, expected, "four such are the same failure");
    ended.assert_event("that it is stuck", |event| {
        matches!(event, LoopEvent::Escalated { tier: EscalationTier::StrategyShift, .. })
    });
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::NotSubmitted);
}
