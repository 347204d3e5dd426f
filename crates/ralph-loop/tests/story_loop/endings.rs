//! Every early end of a run, and how it resumes.

use events::{IterationStatus, LoopEvent, Resumed, RunEnd, WaitReason};
use predicates::str::contains;
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;
use crate::stories::{NEEDS_REVIEW, fields, story};

fn usage_limit(resets_in_s: u64) -> Act {
    let resets_in_s = Some(resets_in_s);
    Act::Limit { status: LimitStatus::Rejected, resets_in_s, resets_at: None, utilization: None }
}

fn first_session(acts: impl IntoIterator<Item = Act>) -> Project {
    let first = When::mode(Mode::Implement).visit(1);
    Project::new([story("US-001")]).scenario(Scenario::new().rule(first, acts))
}

#[test]
fn the_cost_ceiling_ends_the_run_before_the_next_iteration() {
    let project = first_session([
        Act::submit("done"),
        Act::commit("feat"),
        Act::Cost { usd: 1.25 },
        Act::finish("Submitted."),
    ]);
    let run = project.run(["--max-cost-usd", "1.20"]);
    run.assert_end(RunEnd::CostCeiling);
    assert_eq!(run.assignments(), ["implement US-001"]);
    let spent = project.state()["counters"]["costUsd"].as_f64().unwrap();
    assert!((spent - 1.25).abs() < 1e-9, "{spent}");
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn the_quota_ceiling_ends_the_run_before_the_next_iteration() {
    let quota = Act::Limit {
        status: LimitStatus::AllowedWarning,
        resets_in_s: Some(3600),
        resets_at: None,
        utilization: Some(0.93),
    };
    let project = first_session([quota, Act::submit("done"), Act::commit("feat")]);
    let run = project.run(["--max-quota", "90"]);
    run.assert_end(RunEnd::QuotaCeiling);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
}

#[test]
fn a_usage_limit_ends_the_run_that_is_not_to_wait() {
    let project = first_session([usage_limit(3600)]);
    let run = project.run(["--on-limit", "stop"]);
    run.assert_end(RunEnd::QuotaCeiling);
    assert_eq!(project.state()["counters"]["iterations"], 0, "nothing was used up");
}

#[test]
fn a_usage_limit_is_waited_for_and_then_the_run_completes() {
    let project = first_session([usage_limit(5)]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let rests = run.events.iter().filter_map(|event| match event {
        LoopEvent::Waiting(events::WaitView { reason, .. }) => Some(*reason),
        _ => None,
    });
    assert_eq!(rests.collect::<Vec<_>>(), [WaitReason::UsageLimit]);
    assert_eq!(project.state()["counters"]["iterations"], 2);
}

#[test]
fn a_login_that_is_needed_ends_the_run_at_once() {
    let message = "invalid x-api-key".to_owned();
    let project = first_session([Act::ApiError { status: 401, message }]);
    let run = project.run([]);
    run.assert_end(RunEnd::AgentFailed);
    assert_eq!(run.assignments().len(), 1);
    assert_eq!(run.statuses(), [IterationStatus::Failed]);
}

#[test]
fn a_turn_limit_uses_an_iteration_and_the_work_continues() {
    let project = first_session([Act::write("half.txt", "half"), Act::TurnLimit]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses()[0], IterationStatus::NoProgress);
    assert_eq!(project.state()["counters"]["iterations"], 3);
    assert_eq!(project.read("half.txt"), "half");
}

#[test]
fn iterations_that_are_used_up_can_be_followed_by_more_with_the_counters_kept() {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let first = project.state();
    let run = project.run(["--resume", "-n", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["review US-001"]);
    let resumed = run.events.iter().find_map(|event| match event {
        LoopEvent::RunStarted { resumed, .. } => resumed.clone(),
        _ => None,
    });
    let cost_usd = first["counters"]["costUsd"].as_f64().unwrap();
    assert!(cost_usd > 0.0);
    let Some(Resumed { seconds: Some(seconds), .. }) = resumed else { panic!("{resumed:?}") };
    assert_eq!(resumed, Some(Resumed { iterations: 1, cost_usd, seconds: Some(seconds) }));
    let second = project.state();
    assert_eq!(second["runId"], first["runId"]);
    assert_eq!(second["counters"]["iterations"], 2);
    assert!(second["counters"]["costUsd"].as_f64().unwrap() > cost_usd);
}

#[test]
fn there_is_nothing_to_resume_where_nothing_ran() {
    let run = Project::new([story("US-001")]);
    let run = run.run(["--resume"]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("no run to resume"));
}
