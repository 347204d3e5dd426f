//! Rests are no work: they may be longer than all the time that the run has.

use chrono::{DateTime, Utc};
use events::{LoopEvent, QualityOutcome, RunEnd, WaitReason};
use serde_json::json;
use simulator::{Act, LimitStatus, Mode, Scenario, When};

use super::{
    ample, ample_seconds, assert_end, assert_time_used, fresh, limited, project, submitted,
    worked_seconds,
};
use crate::harness::{Finished, Project, Runner};

/// Seconds from each rest to the event after it, until the run ends.
fn seconds_rested(runner: &mut Runner) -> f64 {
    let mut began: Option<DateTime<Utc>> = None;
    let mut rested = 0.0;
    while let Some(stamped) = runner.next() {
        rested += began.map_or(0.0, |began| (stamped.at - began).as_seconds_f64());
        began = matches!(stamped.event, LoopEvent::Waiting { .. }).then_some(stamped.at);
    }
    rested
}

#[test]
fn backing_off_and_sleeping_out_a_usage_limit_take_none_of_the_runs_time() {
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        // Later than a busy machine takes from the limit to the rest.
        resets_in_s: Some(5),
        resets_at: None,
        utilization: None,
    };
    // Two sessions that fail besides the two that complete the story.
    let may_work = 2 * ample_seconds();
    let limits = json!({"runSoft": "0s", "run": format!("{may_work}s")});
    let project = project(&fresh(), &[], &limits);
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), [Act::Crash { exit_code: 1 }])
        .rule(When::mode(Mode::Implement).visit(2), [limit]);
    project.scenario(&scenario);
    let mut runner = project.start(&["--retry-wait", &format!("{}s", may_work + 1)]);
    let rested = seconds_rested(&mut runner);
    let ended = runner.finish();
    assert_end(&project, &ended, RunEnd::Complete);
    for expected in [WaitReason::Backoff, WaitReason::UsageLimit] {
        let rests = |event: &LoopEvent| matches!(event, LoopEvent::Waiting(events::WaitView { reason, .. }) if *reason == expected);
        assert_eq!(ended.count(rests), 1, "{expected:?}");
    }
    let Some(LoopEvent::RunEnded(events::RunEnded { seconds, .. })) = ended.events.last() else {
        panic!()
    };
    assert!(rested > may_work as f64, "it rested for longer than it may work: {rested}");
    // The events are stamped a moment before the rest begins and after it ends.
    let worked = worked_seconds(&project);
    assert!(worked <= seconds - rested + 0.5, "worked {worked} of {seconds}, rested {rested}");
    project.assert_complete();
}

/// The time ends during the quality check of the first story, which is already done.
fn out_of_time_before_a_pause(stories: usize) -> (Project, Finished) {
    let limits = json!({"run": ample(), "quality": "0s", "qualitySoft": "0s"});
    let project = limited(Project::new(stories, &[]), &submitted(), &limits);
    let quality = When::any().prompt_contains("Quality check of");
    project.scenario(&Scenario::new().rule(quality, [Act::Hang { ignores_signals: false }]));
    let ended = project.run(&["--quality", "--pause", "10m"]);
    ended.assert_event("the quality check that was cut off", |event| {
        matches!(event, LoopEvent::QualityChecked { outcome: QualityOutcome::Stopped, .. })
    });
    assert_eq!(ended.count(|event| matches!(event, LoopEvent::Waiting { .. })), 0);
    assert!(project.list().stories[0].passes);
    (project, ended)
}

#[test]
fn a_run_whose_time_is_over_begins_no_rest() {
    let (project, ended) = out_of_time_before_a_pause(2);
    assert_time_used(&project, &ended);
    project.run(&["--resume", "--run-timeout", "0s"]).assert_exit(0);
    project.assert_complete();
}

#[test]
fn a_run_that_completes_at_its_limit_is_complete() {
    let (project, ended) = out_of_time_before_a_pause(1);
    assert_end(&project, &ended, RunEnd::Complete);
}
