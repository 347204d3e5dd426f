//! The run's hard limit ends it at any step, with everything saved, and a run with more time
//! resumes it.

use events::{AgentOutcome, IterationStatus, LoopEvent, TimedTask};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::ReviewStatus;

use super::{
    ample, ample_seconds, assert_half_kept, assert_time_used, fresh, hangs, is_start, is_warning,
    project, submitted, worked_seconds,
};
use crate::harness::{Finished, Project};

fn is_step(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::StoryStatusChanged { .. })
}

/// The same limit ends it at once; with more time, or without a limit, it is completed.
#[track_caller]
fn assert_resumes(project: &Project, run_timeout: &str) -> Finished {
    let worked = worked_seconds(project);
    let same = project.run(&["--resume"]);
    assert_time_used(project, &same);
    assert_eq!(same.count(is_start), 0, "{:#?}", same.events);
    assert!(worked_seconds(project) >= worked, "what it worked before is not forgotten");
    let next = project.run(&["--resume", "--run-timeout", run_timeout]);
    next.assert_exit(0);
    project.assert_complete();
    next
}

#[test]
fn in_the_middle_of_a_session() {
    for (mode, story, more) in [(Mode::Implement, fresh(), "1h"), (Mode::Review, submitted(), "0s")]
    {
        let project = project(&story, &[], &json!({"runSoft": "500ms", "run": ample()}));
        project.scenario(&Scenario::new().rule(When::mode(mode).visit(1), hangs(mode)));
        let ended = project.run(&[]);
        assert_time_used(&project, &ended);
        assert_eq!(ended.count(is_warning(TimedTask::Run)), 1);
        ended.assert_event("the stop", |event| {
            matches!(event, LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::Stopped, leftovers, .. })
                if leftovers.iter().any(|name| name.contains("sleep")))
        });
        ended.assert_event("the status", |event| {
            matches!(
                event,
                LoopEvent::IterationEnded(events::IterationEnded {
                    status: IterationStatus::Stopped,
                    ..
                })
            )
        });
        assert_half_kept(&project, mode);
        assert_eq!(project.counter("iterations"), 0, "the iteration is not used up");
        let worked = worked_seconds(&project);
        assert!(worked >= ample_seconds() as f64, "{worked}");
        assert_resumes(&project, more);
    }
}

#[test]
fn in_the_middle_of_a_check_which_the_next_run_repeats() {
    let check = "test -e ../fast || sleep 600";
    let project = project(&fresh(), &[check], &json!({"run": ample()}));
    let ended = project.run(&[]);
    assert_time_used(&project, &ended);
    ended.assert_event("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    assert_eq!(ended.count(is_step), 0, "it was not checked");
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::NeedsReview);
    std::fs::write(project.beside("fast"), "").unwrap();
    let next = project.run(&["--resume", "--run-timeout", "1h"]);
    next.assert_exit(0).assert_event("the step of the run before", |event| {
        matches!(event, LoopEvent::StoryStatusChanged { to: ReviewStatus::NeedsReview, .. })
    });
    let reviews = next.count(|event| {
        matches!(
            event,
            LoopEvent::IterationStarted(events::IterationStarted {
                mode: events::IterationMode::Review,
                ..
            })
        )
    });
    assert_eq!((next.count(is_start), reviews), (1, 1), "it is not implemented again");
    project.assert_complete();
}

#[test]
fn after_a_submission_before_its_checks() {
    let project = project(&fresh(), &["echo ran >>../checks"], &json!({"run": ample()}));
    let acts = [Act::submit("done"), Act::commit("work"), Act::Hang { ignores_signals: false }];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    let ended = project.run(&[]);
    assert_time_used(&project, &ended);
    assert_eq!(ended.count(is_step), 0);
    assert!(!project.beside("checks").exists(), "there was no time for the check");
    let next = project.run(&["--resume", "--run-timeout", "1h"]);
    next.assert_exit(0);
    assert_eq!(next.count(is_start), 1, "only the review is left");
    assert!(project.beside("checks").exists());
    project.assert_complete();
}

#[test]
fn a_check_without_time_is_left_to_a_run_with_more_of_it() {
    let check = "test -e ../fast || sleep 600";
    let project = project(&fresh(), &[check], &json!({"run": ample()}));
    assert_time_used(&project, &project.run(&[]));
    // Also without --resume: unjudged work is judged first.
    for args in [&["--resume"][..], &[]] {
        let ended = project.run(args);
        assert_time_used(&project, &ended);
        assert_eq!((ended.count(is_start), ended.count(is_step)), (0, 0), "{:#?}", ended.events);
    }
    std::fs::write(project.beside("fast"), "").unwrap();
    project.run(&["--resume", "--run-timeout", "0s"]).assert_exit(0);
    project.assert_complete();
}

fn set_worked(project: &Project, seconds: f64) {
    let mut state: Value = project.state().unwrap();
    state["counters"]["workedSeconds"] = json!(seconds);
    std::fs::write(project.layout().state(), state.to_string()).unwrap();
}

#[test]
fn between_two_iterations() {
    let project = project(&fresh(), &["true"], &json!({}));
    project.run(&["-n", "1"]).assert_exit(1);
    let worked = worked_seconds(&project);
    assert!(worked > 0.0 && worked < 3600.0, "{worked}");
    // The usual hour.
    set_worked(&project, 3600.0);
    let ended = project.run(&["--resume", "-n", "9"]);
    assert_time_used(&project, &ended);
    assert_eq!(ended.count(is_start), 0);
    assert_eq!(ended.count(is_warning(TimedTask::Run)), 0, "the warning was in the run before");
    let next = project.run(&["--resume", "-n", "9", "--timeout-multiplier", "3"]);
    next.assert_exit(0);
    project.assert_complete();
}

#[test]
fn a_run_that_is_complete_is_complete_however_long_it_took() {
    let project = project(&fresh(), &[], &json!({}));
    project.run(&[]).assert_exit(0);
    set_worked(&project, 9999.0);
    project.run(&["--resume"]).assert_exit(0);
}
