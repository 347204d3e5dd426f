//! Whole runs: the test plays every session and every check.

use events::{LoopEvent, RunEnd};

use crate::drive::drive;
use crate::in_process::agent;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{Project, id};

fn sessions(project: &Project) -> Vec<String> {
    let mode = |event| match event {
        LoopEvent::IterationStarted(events::IterationStarted { mode, .. }) => {
            Some(mode.to_string())
        }
        _ => None,
    };
    project.events.all().into_iter().filter_map(mode).collect()
}

#[test]
fn a_story_is_implemented_reviewed_and_complete() {
    let project = Project::new(&["pass"]);
    let processes = PlayedProcesses::new(|_| agent::work(&project, true), || {});
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.control.executor = &processes;
    assert_eq!(drive(&mut run).unwrap(), RunEnd::Complete);
    assert_eq!(sessions(&project), ["implement", "review"]);
    assert_eq!(project.story("US-1")["passes"], true);
    assert_eq!(run.state.counters.iterations, 2);
}

#[test]
fn a_rejected_story_is_fixed_and_reviewed_again() {
    let project = Project::new(&["pass"]);
    let mut sessions_before = 0;
    let session = |_: &str| {
        sessions_before += 1;
        agent::work(&project, sessions_before > 2)
    };
    let processes = PlayedProcesses::new(session, || {});
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.control.executor = &processes;
    assert_eq!(drive(&mut run).unwrap(), RunEnd::Complete);
    assert_eq!(sessions(&project), ["implement", "review", "review-fix", "review"]);
    assert_eq!(run.state.attempts(&id("US-1")).len(), 1);
}

#[test]
fn a_story_whose_checks_always_fail_ends_the_run() {
    let mut project = Project::new(&["fail error: sum is wrong"]);
    project.options.attempts.most = 2;
    let processes = PlayedProcesses::new(|_| agent::work(&project, true), || {});
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.control.executor = &processes;
    assert_eq!(drive(&mut run).unwrap(), RunEnd::StoriesFailed);
    assert_eq!(sessions(&project), ["implement", "implement"]);
    assert_eq!(project.story("US-1")["passes"], false);
    let given_up = run.state.stories[&id("US-1")].given_up.as_ref().unwrap();
    assert!(given_up.branch.is_some());
}

#[test]
fn the_last_iteration_ends_the_run() {
    let mut project = Project::new(&["fail"]);
    project.options.run.policy.max_iterations = 1;
    let processes = PlayedProcesses::new(|_| agent::work(&project, true), || {});
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.control.executor = &processes;
    assert_eq!(drive(&mut run).unwrap(), RunEnd::IterationsUsed);
    assert_eq!(sessions(&project).len(), 1);
}
