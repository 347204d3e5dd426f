//! Version control in a story loop: after each accepted step.

use events::{IterationStatus, LoopEvent, RunEnd, ScmOutcome};
use predicates::str::contains;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, fields, story};

fn with_tasks<const N: usize>(tasks: [&str; N]) -> Project {
    let project = Project::with_checks([story("US-001")], ["true"]);
    project.settings(&json!({"scm": {"command": "git", "tasks": Vec::from(tasks)}}))
}

/// A bare repository beside the project, to push to.
fn with_remote(project: Project) -> Project {
    let remote = project.bin().join("remote.git");
    project.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    project
}

fn scm(run: &Outcome<'_>) -> Vec<(String, ScmOutcome)> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::ScmEnded { task, outcome, .. } => Some((task.clone(), *outcome)),
        _ => None,
    });
    ended.collect()
}

#[test]
fn each_accepted_step_is_pushed_and_nothing_to_commit_is_no_error() {
    let project = with_remote(with_tasks(["commit", "push"]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let step = [("commit", ScmOutcome::NothingToDo), ("push", ScmOutcome::Done)];
    let expected: Vec<_> = step.iter().chain(&step).map(|(t, o)| ((*t).to_owned(), *o)).collect();
    assert_eq!(scm(&run), expected);
    assert_eq!(run.calls().len(), 2, "no commit message without changes");
    let pushed = project.git(&["ls-remote", "origin", "ralph/demo"]);
    assert!(pushed.starts_with(&project.head()), "{pushed}");
}

#[test]
fn a_rejected_step_is_not_pushed() {
    let project = with_remote(with_tasks(["push"]));
    let scenario = Scenario::new().otherwise([Act::write("a.txt", "a"), Act::finish("Halfway.")]);
    let project = project.scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::NoProgress]);
    assert_eq!(scm(&run), []);
    assert_eq!(project.git(&["ls-remote", "origin"]), "");
}

#[test]
fn a_failed_push_ends_the_run_and_the_step_stays_accepted() {
    let project = with_tasks(["push"]);
    let run = project.run([]);
    run.assert_exit(5);
    assert_eq!(scm(&run), [("push".to_owned(), ScmOutcome::Failed)]);
    assert_text(&run.stderr, contains("push` failed:"));
    assert_eq!(run.assignments(), ["implement US-001"]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert!(!project.has(".ralph-active"));
    let project = with_remote(project);
    let run = project.run(["--resume"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["review US-001"]);
}

#[test]
fn uncommitted_work_is_committed_without_asking_for_a_message() {
    let project = with_tasks(["commit"]);
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), [Act::write("a.txt", "a"), Act::submit("uncommitted")]);
    let project = project.scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(scm(&run), [("commit".to_owned(), ScmOutcome::NothingToDo)]);
    assert_eq!(run.calls().len(), 1, "no commit message is requested");
    assert_eq!(project.git(&["show", "HEAD:a.txt"]), "a");
}
