//! Signals end a run at the right time, and the next run resumes it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use events::{AgentOutcome, IterationStatus, LoopEvent, WaitReason};
use predicates::str::contains;
use rustix::process::Signal;
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use tasks::ReviewStatus;
use test_repo::assert_text;

use crate::harness::{Finished, Project, Runner};

/// Far below anything that would be waited for if the signal did not count.
const AT_ONCE: Duration = Duration::from_secs(90);

/// Two signals of a kind that arrive together are one, so the answer to the first is waited for.
const FIRST: &str = "Ctrl-C again kills it";

/// An agent that waits in its first implementation until the returned file exists.
fn waiting_project() -> (Project, PathBuf) {
    let project = Project::new(2, &[]);
    let go_on = project.beside("go-on");
    let wait = format!("while [ ! -e '{}' ]; do sleep 0.01; done", go_on.display());
    let acts = [
        Act::write("work/US-1.txt", "half\n"),
        Act::bash(wait),
        Act::submit("done"),
        Act::commit("work"),
        Act::finish("ok"),
    ];
    let when = When::mode(Mode::Implement).story("US-1").visit(1);
    project.scenario(&Scenario::new().rule(when, acts));
    (project, go_on)
}

fn in_the_middle(project: &Project, args: &[&str]) -> Runner {
    let mut runner = project.start(args);
    let is_wait =
        |event: &LoopEvent| matches!(event, LoopEvent::ToolStarted { name, .. } if name == "Bash");
    runner.wait_for("the wait", is_wait);
    runner
}

/// Asserts that it resumes with its counters, reports that, and completes.
#[track_caller]
fn assert_resumes(project: &Project, iterations: u64) -> Finished {
    let next = project.run(&[]);
    next.assert_exit(0).assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(resumed), .. }
            if resumed.iterations == iterations)
    });
    project.assert_complete();
    next
}

fn ended_as(outcome: AgentOutcome) -> impl Fn(&LoopEvent) -> bool {
    move |event| matches!(event, LoopEvent::AgentEnded(events::AgentEnded { outcome: found, .. }) if *found == outcome)
}

#[test]
fn the_first_interrupt_of_a_terminal_lets_the_agent_finish_its_answer() {
    let (project, go_on) = waiting_project();
    let mut runner = in_the_middle(&project, &[]);
    // To the whole foreground group, as a terminal does; the agent must not get it.
    runner.signal_group(Signal::INT);
    // While the agent still works.
    runner.wait_for("the stop", |event| matches!(event, LoopEvent::StopRequested { .. }));
    std::fs::write(go_on, "").unwrap();
    let ended = runner.finish();
    ended.assert_exit(130);
    ended.assert_event("its answer", ended_as(AgentOutcome::Answered));
    ended.assert_event("its step", |event| {
        matches!(event, LoopEvent::StoryStatusChanged { to: ReviewStatus::NeedsReview, .. })
    });
    assert_eq!(ended.count(|event| matches!(event, LoopEvent::IterationStarted { .. })), 1);
    assert_text(&ended.stderr, contains(FIRST));
    project.assert_quiet();
    assert_eq!(project.counter("iterations"), 1);
    assert_resumes(&project, 1);
}

#[test]
fn the_second_interrupt_kills_the_agent_and_keeps_its_work() {
    let (project, _) = waiting_project();
    let runner = in_the_middle(&project, &[]);
    runner.signal_group(Signal::INT);
    runner.wait_for_text(FIRST);
    runner.signal_group(Signal::INT);
    stopped(&project, runner, 130);
}

#[test]
fn the_grace_after_an_interrupt_is_bounded() {
    let (project, _) = waiting_project();
    let runner = in_the_middle(&project, &["--stop-grace", "100ms"]);
    runner.signal(Signal::INT);
    stopped(&project, runner, 130);
}

#[test]
fn a_termination_ends_the_agent_at_once() {
    let (project, _) = waiting_project();
    let runner = in_the_middle(&project, &[]);
    runner.signal(Signal::TERM);
    stopped(&project, runner, 143);
}

#[test]
fn a_closed_terminal_ends_the_agent_at_once() {
    let (project, _) = waiting_project();
    let runner = in_the_middle(&project, &[]);
    runner.signal_group(Signal::HUP);
    stopped(&project, runner, 129);
}

#[test]
fn an_agent_that_ignores_signals_is_killed_by_the_second_interrupt() {
    let project = Project::new(1, &[]);
    let acts = [Act::say("Never."), Act::Hang { ignores_signals: true }];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let mut runner = project.start(&[]);
    runner.wait_for("a word", |event| matches!(event, LoopEvent::AgentText { .. }));
    for answer in [FIRST, "killing the agent"] {
        runner.signal(Signal::INT);
        runner.wait_for_text(answer);
    }
    let ended = runner.finish();
    ended.assert_exit(130).assert_event("the stop", ended_as(AgentOutcome::Stopped));
    project.assert_quiet();
    assert_resumes(&project, 0);
}

#[track_caller]
fn stopped(project: &Project, runner: Runner, exit_code: i32) {
    let began = Instant::now();
    let ended = runner.finish();
    assert!(began.elapsed() < AT_ONCE, "it took {:?}", began.elapsed());
    ended.assert_exit(exit_code).assert_event("the stop", ended_as(AgentOutcome::Stopped));
    ended.assert_event("the status", |event| {
        matches!(
            event,
            LoopEvent::IterationEnded(events::IterationEnded {
                status: IterationStatus::Stopped,
                ..
            })
        )
    });
    // The work of the agent is committed and counts as no step.
    ended.assert_event(
        "the kept work",
        |event| matches!(event, LoopEvent::WorkCommitted { paths, .. } if paths == &["work/US-1.txt"]),
    );
    project.assert_quiet();
    project.assert_sound_repository();
    assert_eq!(
        project.counter("iterations"),
        0,
        "an iteration that the user stopped is not used up"
    );
    assert_resumes(project, 0);
}

#[test]
fn a_stop_during_a_check_ends_the_check_and_leaves_the_verdict_to_the_next_run() {
    for (signal, exit_code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let project = Project::new(1, &["true"]).without_base_checks();
        let fast = project.beside("fast");
        let check = format!("test -e '{}' || sleep 600", fast.display());
        project.set_checks(&[&check]);
        let mut runner = project.start(&[]);
        runner.wait_for("a check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
        runner.signal_group(signal);
        if signal == Signal::INT {
            // The first would wait for the check, as for an answer.
            runner.wait_for_text(FIRST);
            runner.signal_group(signal);
        }
        let began = Instant::now();
        let ended = runner.finish();
        assert!(began.elapsed() < AT_ONCE, "it took {:?}", began.elapsed());
        ended.assert_exit(exit_code);
        assert_eq!(ended.count(|event| matches!(event, LoopEvent::StoryStatusChanged { .. })), 0);
        project.assert_quiet();
        std::fs::write(fast, "").unwrap();
        let next = assert_resumes(&project, 0);
        next.assert_event(
            "what it found",
            |event| matches!(event, LoopEvent::LeftoverFound { text } if text.contains("was interrupted")),
        );
        next.assert_event("the step of the run before", |event| {
            matches!(event, LoopEvent::StoryStatusChanged { to: ReviewStatus::NeedsReview, .. })
        });
    }
}

#[test]
fn a_stop_ends_a_rest_at_once() {
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        resets_in_s: Some(3600),
        resets_at: None,
        utilization: None,
    };
    let crash = Act::Crash { exit_code: 1 };
    let cases = [
        (crash, WaitReason::Backoff, Signal::INT, 130),
        (limit.clone(), WaitReason::UsageLimit, Signal::INT, 130),
        (limit, WaitReason::UsageLimit, Signal::TERM, 143),
    ];
    for (act, expected, signal, exit_code) in cases {
        let project = Project::new(1, &[]);
        project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), [act]));
        let mut runner = project.start(&["--retry-wait", "10m"]);
        runner.wait_for(
            "a rest",
            |event| matches!(event, LoopEvent::Waiting(events::WaitView { reason, .. }) if *reason == expected),
        );
        let began = Instant::now();
        runner.signal(signal);
        runner.finish().assert_exit(exit_code);
        assert!(began.elapsed() < AT_ONCE, "it took {:?}", began.elapsed());
        project.assert_quiet();
        assert_resumes(&project, 0);
    }
}
