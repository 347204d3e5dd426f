//! Signals, kills, and a second runner.

#[expect(dead_code, reason = "the tests of sturdiness, whose it is, use all of it")]
#[path = "../sturdy/harness/processes.rs"]
pub(crate) mod processes;

use events::{AgentOutcome, IterationStatus, LoopEvent, RunEnd};
use rustix::process::Signal;
use serde_json::{Value, json};

use processes::await_none_in;

use crate::harness::{PROMISE, Project};
use crate::outcome::Outcome;
use crate::running::{Finished, WAIT, until};

const TASK_FILE: [&str; 2] = ["prompt", "task.md"];

/// An agent that waits in its first session.
fn waiting() -> Project {
    Project::new().agent([&format!("{WAIT}; echo 'not yet'"), PROMISE])
}

/// No process of the last run is left.
#[track_caller]
fn assert_quiet(project: &Project) {
    let run = project.run_folder();
    await_none_in(&project.path(), run.file_name().and_then(|name| name.to_str()));
}

/// The same command resumes after this many iterations and completes.
#[track_caller]
fn assert_resumes(project: &Project, iterations: u64) -> Outcome {
    let next = project.run(&TASK_FILE);
    next.assert_end(RunEnd::Complete);
    assert_eq!(next.resumed_after(), Some(iterations), "{}", next.stderr);
    next
}

fn is_stopped(event: &LoopEvent) -> bool {
    matches!(
        event,
        LoopEvent::IterationEnded(events::IterationEnded { status: IterationStatus::Stopped, .. })
    )
}

/// Stopped by a termination, in the middle of an iteration that counts for nothing.
#[track_caller]
fn assert_terminated(project: &Project, ended: &Finished) {
    ended.assert_exit(143).assert_event("the stop", is_stopped);
    assert_quiet(project);
}

#[test]
fn one_interrupt_lets_the_agent_finish_and_the_same_command_resumes() {
    let project = waiting();
    let runner = project.start_and_wait(&TASK_FILE);
    runner.signal_group(Signal::INT);
    runner.wait_for_text("Ctrl-C again kills it");
    project.go_on();
    let ended = runner.finish();
    ended.assert_exit(130).assert_event("the answer", |event| {
        matches!(
            event,
            LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::Answered, .. })
        )
    });
    assert_quiet(&project);
    assert_resumes(&project, 1);
    assert_eq!(project.prompts().len(), 2);
}

#[test]
fn a_termination_ends_the_agent_and_the_iteration_is_done_again() {
    let project = waiting();
    let runner = project.start_and_wait(&TASK_FILE);
    runner.signal(Signal::TERM);
    assert_terminated(&project, &runner.finish());
    assert_resumes(&project, 0);
}

#[test]
fn a_killed_runner_leaves_no_agent_and_the_next_run_resumes() {
    let project = Project::new().agent(["echo one", &format!("{WAIT}; {PROMISE}"), PROMISE]);
    let runner = project.start_and_wait(&TASK_FILE);
    runner.kill();
    assert_quiet(&project);
    assert_resumes(&project, 1);
}

#[test]
fn a_termination_during_a_guardrail_leaves_the_iteration_to_the_next_run() {
    let project = Project::new();
    let fast = project.beside("fast").display().to_string();
    let command = format!("test -e '{fast}' || sleep 600");
    let check = json!({
        "guardrails": [{"command": command}],
        "isolation": {"readablePaths": [&fast]},
    });
    let project = project.settings(&check);
    let mut runner = project.start(&TASK_FILE);
    runner.wait_for("a check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.signal(Signal::TERM);
    let ended = runner.finish();
    assert_terminated(&project, &ended);
    let claims = |event: &LoopEvent| matches!(event, LoopEvent::CompletionClaimed { .. });
    assert_eq!(ended.count(claims), 0, "it was not checked");
    std::fs::write(fast, "").unwrap();
    assert_resumes(&project, 0);
}

/// Commits what the agent made.
fn committing() -> Project {
    Project::new()
        .settings(&json!({"scm": {"tasks": ["commit"]}}))
        .agent([&format!("echo x >new.txt; {PROMISE}")])
}

#[test]
fn a_termination_while_a_message_is_asked_for_is_not_the_agents_failure() {
    let project = committing().message(WAIT);
    let runner = project.start_and_wait(&TASK_FILE);
    runner.signal(Signal::TERM);
    assert_terminated(&project, &runner.finish());
    let project = project.message("echo 'Add new'");
    assert_resumes(&project, 0);
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), "Add new");
}

#[test]
fn a_termination_during_a_commit_is_not_gits_failure() {
    let project = committing();
    let (slow, hook) = (project.beside("slow"), project.path().join(".git/hooks/pre-commit"));
    let script =
        format!("#!/bin/sh\ntest -e '{0}' || {{ touch '{0}'; sleep 600; }}\n", slow.display());
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let runner = project.start(&TASK_FILE);
    until("git commits", || slow.exists().then_some(()));
    runner.signal(Signal::TERM);
    assert_terminated(&project, &runner.finish());
    assert_resumes(&project, 0);
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), "Add things");
}

#[test]
fn the_second_runner_is_refused_and_the_first_continues() {
    let project = waiting();
    let runner = project.start_and_wait(&TASK_FILE);
    for args in [&TASK_FILE[..], &["prompt", "-p", "another", "--fresh"]] {
        let second = project.run(args);
        let named = format!("another ralph-loop is running here (pid {})", runner.pid());
        second.assert_refused([&named]);
    }
    project.go_on();
    runner.finish().assert_exit(0);
    assert_eq!(project.prompts().len(), 2);
}

#[test]
fn an_interrupted_story_loop_must_be_judged_first() {
    let project = waiting();
    let story: Value = json!({
        "id": "US-1", "title": "A story", "acceptanceCriteria": ["it works"], "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    });
    let list = json!({
        "project": "demo", "branchName": "ralph/demo", "description": "x", "userStories": [story],
    });
    project.write("ralph/tasks.json", list.to_string());
    project.write("ralph/prompt.md", "Go on. ${STORY}\n");
    project.write("specs/a.md", "It works.\n");
    project.write("implementation_plan.md", "- [ ] it works\n");
    let ignored = project.read(".gitignore");
    project.write(".gitignore", format!("{ignored}.ralph/state.json\n.ralph-active\n"));
    test_repo::commit_all(&project.path());
    project.start_and_wait(&["run"]).kill();
    await_none_in(&project.path(), None);
    for args in [&TASK_FILE[..], &["prompt", "-p", "x", "--fresh"], &["plan"], &["build"]] {
        let run = project.run(args);
        run.assert_refused(["an iteration of the story loop was interrupted", "ralph-loop run"]);
    }
    assert_eq!(project.prompts().len(), 1);
}
