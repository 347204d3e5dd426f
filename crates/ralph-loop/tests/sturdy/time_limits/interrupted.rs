//! Ctrl-C near the limits: the user has priority.

use events::{AgentOutcome, LoopEvent, RunEnd, TimedTask};
use predicates::str::contains;
use rustix::process::Signal;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use super::{WAITS, ample, assert_end, fresh, go_on, is_failed_attempt, is_warning, project};
use crate::harness::Project;

const FIRST: &str = "Ctrl-C again kills it";

fn waiting(limits: &serde_json::Value) -> Project {
    let project = project(&fresh(), &[], limits);
    let acts = [
        Act::write("work/half.txt", "half\n"),
        Act::bash(WAITS),
        Act::submit("done"),
        Act::commit("work"),
        Act::finish("ok"),
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    project
}

#[test]
fn after_the_warnings_the_agent_may_still_finish_its_answer() {
    let limits = json!({"iterationSoft": "100ms", "iteration": "50s", "runSoft": "150ms",
        "run": "50s"});
    let project = waiting(&limits);
    let mut runner = project.start(&[]);
    for about in [TimedTask::Implement, TimedTask::Run] {
        runner.wait_for("a warning", is_warning(about));
    }
    runner.signal_group(Signal::INT);
    runner.wait_for_text(FIRST);
    go_on(&project);
    let ended = runner.finish();
    assert_end(&project, &ended, RunEnd::Interrupted);
    ended.assert_event("its answer", |event| {
        matches!(
            event,
            LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::Answered, .. })
        )
    });
    assert_eq!(project.counter("accepted"), 1);
}

#[test]
fn a_limit_of_the_run_that_passes_after_it_changes_nothing() {
    let project = waiting(&json!({"run": ample()}));
    let mut runner = project.start(&[]);
    runner.wait_for("the agent", |event| matches!(event, LoopEvent::AgentCalled { .. }));
    runner.signal_group(Signal::INT);
    let ended = runner.finish();
    // It continued its answer until the limit, and the user ended the run.
    let text = assert_end(&project, &ended, RunEnd::Interrupted);
    assert_text(text, contains("run the same command again to resume"));
    let requests = ended.events.iter().filter_map(|event| match event {
        LoopEvent::StopRequested { signal, .. } => Some(signal.as_str()),
        _ => None,
    });
    assert_eq!(requests.collect::<Vec<_>>(), ["SIGINT"]);
    assert_eq!(ended.count(is_failed_attempt), 0);
    assert_eq!(project.counter("iterations"), 0);
    go_on(&project);
    project.run(&["--run-timeout", "1h"]).assert_exit(0);
    project.assert_complete();
}
