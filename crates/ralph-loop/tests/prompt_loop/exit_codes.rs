//! Every exit code of the product page, by something that provokes it.

use events::RunEnd;
use rustix::process::Signal;
use serde_json::json;

use crate::harness::{PROMISE, Project};
use crate::running::WAIT;

const TASK_FILE: [&str; 3] = ["prompt", "task.md", "1"];

#[test]
fn zero_complete() {
    Project::new().agent([PROMISE]).run(&TASK_FILE).assert_end(RunEnd::Complete).assert_exit(0);
}

#[test]
fn one_stopped_before_completion() {
    let project = Project::new().agent(["echo 'not yet'"]);
    project.run(&TASK_FILE).assert_end(RunEnd::IterationsUsed).assert_exit(1);
}

#[test]
fn two_wrong_usage_settings_or_preconditions() {
    Project::new().run(&["prompt", "task.md", "--no-such-flag"]).assert_exit(2);
    Project::new().settings(&json!({"no": "such key"})).run(&TASK_FILE).assert_exit(2);
    Project::without_git().run(&TASK_FILE).assert_exit(2);
}

#[test]
fn three_a_ceiling_was_reached() {
    for (stream, ceiling, end) in [
        ("tag-in-tool-output", "0.001", RunEnd::CostCeiling),
        ("budget-exhausted", "5", RunEnd::CostCeiling),
    ] {
        let project = Project::new().replaying("claude", stream);
        let args = ["prompt", "task.md", "--agent", "claude", "--max-cost-usd", ceiling];
        project.run_as_it_is(&args).assert_end(end).assert_exit(3);
        assert_eq!(project.prompts().len(), 1, "{stream}");
    }
}

#[test]
fn four_the_agent_failed_past_its_retries() {
    let project = Project::new().agent(["exit 1"]);
    project.run(&TASK_FILE).assert_end(RunEnd::AgentFailed).assert_exit(4);
    assert_eq!(project.prompts().len(), 4, "one try and three retries");
}

#[test]
fn five_git_failed() {
    let project = Project::new().settings(&json!({"scm": {"tasks": ["push"]}}));
    project.run(&TASK_FILE).assert_end(RunEnd::GitFailed).assert_exit(5);
}

#[test]
fn a_signal_and_128() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let project = Project::new().agent([WAIT]);
        let runner = project.start_and_wait(&["prompt", "task.md", "--stop-grace", "50ms"]);
        runner.signal(signal);
        runner.finish().assert_exit(code);
    }
}
