//! An agent that fails is tried again, and not for ever.

use events::{AgentOutcome, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use test_repo::assert_text;

use crate::harness::{PROMISE, Project, TASK};
use crate::outcome::Outcome;

const CRASH: &str = "echo 'out of memory' >&2; exit 7";

fn outcomes(run: &Outcome) -> Vec<AgentOutcome> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(events::AgentEnded { outcome, .. }) => Some(*outcome),
        _ => None,
    });
    ended.collect()
}

/// `(iteration, attempt)` of every start.
fn attempts(run: &Outcome) -> Vec<(u64, u64)> {
    let started = run.events.iter().filter_map(|event| match event {
        LoopEvent::IterationStarted(events::IterationStarted { iteration, attempt, .. }) => {
            Some((*iteration, *attempt))
        }
        _ => None,
    });
    started.collect()
}

#[test]
fn two_crashes_and_an_answer() {
    let project = Project::new().agent([CRASH, CRASH, PROMISE]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::Complete);
    let retried = IterationStatus::Retried;
    assert_eq!(run.statuses(), [retried, retried, IterationStatus::Accepted]);
    assert_eq!(attempts(&run), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(project.prompts(), [TASK; 3], "a retry has the same prompt");
}

#[test]
fn crashes_past_the_retries_end_the_run_with_the_agents_error() {
    let project = Project::new().agent([CRASH]);
    let run = project.run(&["prompt", "task.md", "--retries", "2"]);
    run.assert_end(RunEnd::AgentFailed);
    assert_eq!(project.prompts().len(), 3);
    let Some(LoopEvent::RunEnded(events::RunEnded { text, .. })) = run.events.last() else {
        panic!()
    };
    assert_text(text, contains("exit code 7"));
}

#[test]
fn a_successful_iteration_resets_the_count() {
    let project = Project::new().agent([CRASH, CRASH, "echo ok", CRASH, CRASH, PROMISE]);
    let run = project.run(&["prompt", "task.md", "--retries", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(attempts(&run), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
}

#[test]
fn an_empty_answer_is_none() {
    let project = Project::new().agent(["true", "echo; echo ' '", PROMISE]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::Complete);
    let empty = AgentOutcome::EmptyAnswer;
    assert_eq!(outcomes(&run), [empty, empty, AgentOutcome::Answered]);
}

#[test]
fn a_session_past_its_time_is_tried_again() {
    let project = Project::new().agent(["echo thinking; sleep 600", PROMISE]);
    let run = project.run(&["prompt", "task.md", "1", "--iteration-timeout", "6s"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(outcomes(&run), [AgentOutcome::TimedOut, AgentOutcome::Answered]);
    assert_eq!(run.statuses(), [IterationStatus::Retried, IterationStatus::Accepted]);
}
