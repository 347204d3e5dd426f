//! Soft limits: one warning, and nothing ends.

use events::{AgentOutcome, LoopEvent, RunEnd, TimedTask};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use super::{WAITS, assert_end, fresh, go_on, is_warning, project, rejected, submitted};
use crate::harness::Project;

/// Releases the waiting act after the warning, and asserts that there is only one.
#[track_caller]
fn assert_warned_once(project: &Project, args: &[&str], about: TimedTask, end: RunEnd) {
    let mut runner = project.start(args);
    let warning = runner.wait_for("the warning", is_warning(about));
    let LoopEvent::TimeWarning { soft_seconds, hard_seconds, .. } = warning else { panic!() };
    assert!((soft_seconds - 0.1).abs() < 1e-9, "{soft_seconds}");
    assert_eq!(hard_seconds, Some(50.0));
    go_on(project);
    let ended = runner.finish();
    assert_end(project, &ended, end);
    assert_eq!(ended.count(is_warning(about)), 1, "{:#?}", ended.events);
    let other = |event: &LoopEvent| matches!(event, LoopEvent::TimeWarning { .. });
    assert_eq!(ended.count(other), 1, "only of {about}");
    let cut = |event: &LoopEvent| matches!(event, LoopEvent::AgentEnded(events::AgentEnded { outcome, .. }) if *outcome != AgentOutcome::Answered);
    assert_eq!(ended.count(cut), 0, "{:#?}", ended.events);
}

#[test]
fn of_a_session_that_implements_fixes_or_reviews() {
    let session = json!({"iterationSoft": "100ms", "iteration": "50s"});
    let review = json!({"reviewSoft": "100ms", "review": "50s"});
    let cases = [
        (Mode::Implement, fresh(), &session, TimedTask::Implement),
        (Mode::ReviewFix, rejected(), &session, TimedTask::Implement),
        (Mode::Review, submitted(), &review, TimedTask::Review),
    ];
    for (mode, story, limits, about) in cases {
        let project = project(&story, &[], limits);
        let step = match mode {
            Mode::Implement | Mode::Specify => Act::submit("done"),
            Mode::ReviewFix => Act::Resubmit,
            Mode::Review => Act::approve("fine"),
        };
        let acts = [Act::bash(WAITS), step, Act::commit("work"), Act::finish("ok")];
        project.scenario(&Scenario::new().rule(When::mode(mode), acts));
        let end = if mode == Mode::Review { RunEnd::Complete } else { RunEnd::IterationsUsed };
        assert_warned_once(&project, &["-n", "1"], about, end);
    }
}

#[test]
fn of_a_check() {
    let limits = json!({"guardrailSoft": "100ms", "guardrail": "50s"});
    let project = project(&fresh(), &[WAITS], &limits);
    assert_warned_once(&project, &["-n", "1"], TimedTask::Check, RunEnd::IterationsUsed);
    assert_eq!(project.counter("accepted"), 1);
}

/// The look at the quality comes with the marker of the review before it: the second such session.
fn at_the_quality_check(limits: &Value, acts: impl IntoIterator<Item = Act>) -> Project {
    let project = project(&submitted(), &[], limits);
    project.scenario(&Scenario::new().rule(When::any().prompt_contains("Quality check of"), acts));
    project
}

#[test]
fn of_the_quality_check() {
    let limits = json!({"qualitySoft": "100ms", "quality": "50s"});
    let acts = [Act::bash(WAITS), Act::finish("NO WARNINGS")];
    let project = at_the_quality_check(&limits, acts);
    assert_warned_once(&project, &["--quality"], TimedTask::Quality, RunEnd::Complete);
}

#[test]
fn a_quality_check_past_its_hard_limit_is_reported_and_the_story_stays_done() {
    let limits = json!({"quality": "400ms"});
    let project = at_the_quality_check(&limits, [Act::Hang { ignores_signals: false }]);
    let ended = project.run(&["--quality"]);
    assert_end(&project, &ended, RunEnd::Complete);
    ended.assert_event("the check that took too long", |event| {
        matches!(event, LoopEvent::QualityChecked {
            outcome: events::QualityOutcome::TimedOut, warnings, ..
        } if warnings.is_empty())
    });
    project.assert_complete();
}

#[test]
fn of_the_run_across_its_sessions() {
    let limits = json!({"runSoft": "100ms", "run": "50s"});
    let project = project(&fresh(), &["true"], &limits);
    let acts = [Act::bash(WAITS), Act::submit("done"), Act::commit("work"), Act::finish("ok")];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    assert_warned_once(&project, &[], TimedTask::Run, RunEnd::Complete);
    // The worked time is saved with the warning, and a resumed run does not warn again.
    let next = project.run(&["--resume"]);
    assert_eq!(next.count(is_warning(TimedTask::Run)), 0);
}
