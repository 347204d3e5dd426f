//! Refusals before the start of a run.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::harness::{PROMISE, Project};

/// The agent was not called, and no run was begun.
#[track_caller]
fn assert_untouched(project: &Project) {
    assert_eq!(project.prompts(), Vec::<String>::new());
    let runs = std::fs::read_dir(project.path().join(".ralph/runs"));
    assert_eq!(runs.map_or(0, Iterator::count), 0, "a run was begun");
    assert!(!project.has(".ralph/prompt-state.json"));
}

#[test]
fn a_prompt_file_that_does_not_know_its_tag() {
    for prompt in ["Do it.", "Do it. <response>DONE</response>", "<promise>DONE</promise>", ""] {
        let project = Project::new();
        project.write("task.md", prompt);
        let run = project.run(&["prompt", "task.md"]);
        run.assert_refused(["<promise>COMPLETE</promise>", "task.md", "${COMPLETION_TAG}"]);
        assert_untouched(&project);
    }
}

#[test]
fn a_file_of_a_response_that_does_not_know_it() {
    let project = Project::without_git();
    let run = project.run(&["prompt", "-f", "task.md"]);
    run.assert_refused(["task.md does not ask the agent to answer <response>DONE</response>"]);
    assert_untouched(&project);
}

#[test]
fn the_variable_of_the_tag_is_enough() {
    let project = Project::new();
    project.write("task.md", "Do it, then ${COMPLETION_TAG}.");
    project.run(&["prompt", "task.md"]).assert_exit(0);
    assert_eq!(project.prompts(), ["Do it, then <promise>COMPLETE</promise>."]);
}

#[test]
fn a_prompt_file_without_git() {
    let project = Project::without_git();
    let run = project.run(&["prompt", "task.md"]);
    run.assert_refused(["is not in a git repository", "git init"]);
    assert_untouched(&project);
}

#[test]
fn no_prompt_or_an_empty_one_or_several() {
    let project = Project::new();
    let usage = [
        &["prompt"][..],
        &["prompt", "task.md", "-p", "x"],
        &["prompt", "task.md", "-f", "task.md"],
        &["prompt", "-p", "x", "-f", "task.md"],
        &["prompt", "task.md", "-n", "0"],
        &["prompt", "task.md", "0"],
        &["prompt", "task.md", "3", "-n", "4"],
        &["plan", "-n", "0"],
        &["build", "0"],
    ];
    for args in usage {
        let run = project.run(args);
        run.assert_exit(2);
        assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    }
    project.run(&["prompt", "-p", "  "]).assert_refused(["the prompt is empty"]);
    project.run(&["prompt", "none.md"]).assert_refused(["prompt file none.md not found"]);
    project.run(&["prompt", "."]).assert_refused([". is a folder, not a prompt file"]);
    project.run(&["prompt", "-f", "/dev/null"]).assert_refused(["/dev/null is not a regular file"]);
    assert_untouched(&project);
}

#[test]
fn a_cost_limit_for_an_agent_that_reports_no_cost() {
    let project = Project::new();
    let run = project.run(&["prompt", "task.md", "--max-cost-usd", "1"]);
    run.assert_refused([
        "reports no cost, so --max-cost-usd 1.00 cannot be enforced",
        "remove the limit",
    ]);
    assert_untouched(&project);
}

#[test]
fn a_ceiling_on_the_quota_of_an_agent_that_reports_none() {
    let project = Project::new();
    let run = project.run(&["prompt", "task.md", "--max-quota", "90"]);
    run.assert_refused(["agent agent reports no quota, so --max-quota cannot be enforced"]);
    assert_untouched(&project);
}

#[test]
fn another_way_for_the_prompt_of_an_agent_that_has_one() {
    let project = Project::new().replaying("codex", "completed");
    let run =
        |via| project.run_as_it_is(&["prompt", "task.md", "--agent", "codex", "--prompt-via", via]);
    for via in ["file", "argument"] {
        run(via).assert_refused([
            "--prompt-via: agent codex reads its prompt from standard input only",
            "hint: remove it",
        ]);
    }
    assert_untouched(&project);
    let settings = json!({"agent": {"command": "codex", "promptVia": "file"}});
    let project = project.settings(&settings);
    let run = project.run_as_it_is(&["prompt", "task.md"]);
    run.assert_refused([".ralph/settings.json: agent.promptVia: agent codex reads its prompt"]);
}

#[test]
fn settings_that_are_wrong() {
    for settings in [json!({"guardrail": []}), json!({"guardrails": [{"cmd": "make"}]})] {
        let project = Project::new().settings(&settings);
        let run = project.run(&["prompt", "task.md"]);
        run.assert_refused([".ralph/settings.json"]);
        assert_untouched(&project);
        let files = std::fs::read_dir(project.path().join(".ralph")).unwrap().count();
        assert_eq!(files, 1, "something was written beside the settings");
    }
}

#[test]
fn a_missing_agent() {
    let project = Project::new();
    let run = project.run_as_it_is(&["prompt", "task.md", "--agent", "no-such-agent"]);
    run.assert_refused(["no-such-agent is not an executable program"]);
    assert_text(&run.stderr, contains("did you mean").not());
    let run = project.run_as_it_is(&["prompt", "task.md", "--agent", "cluade"]);
    run.assert_refused(["cluade is not an executable program", "did you mean claude?"]);
    assert_untouched(&project);
}

#[test]
fn a_model_for_an_agent_that_takes_none() {
    let project = Project::new();
    let run = project.run(&["prompt", "task.md", "--model", "opus"]);
    run.assert_refused(["--model: ", "agent has no option for the model", "--agent-arg"]);
    let project = project.settings(&json!({"agent": {"command": "amp", "model": "x"}}));
    let run = project.run_as_it_is(&["prompt", "task.md"]);
    run.assert_refused([".ralph/settings.json: agent.model: amp has no option for the model"]);
    assert_untouched(&project);
}

/// The marks that turn the direction of writing go through to what is no terminal, too.
#[test]
fn quoted_settings_and_arguments_are_sanitized() {
    let evil = "x\u{202e}y";
    let project = Project::new().settings(&json!({"agent": {"command": evil}}));
    for args in [
        &["prompt", "-p", "x"][..],
        &["prompt", "-p", "x", "--agent", evil],
        &["prompt", evil],
        &["prompt", "-p", "x", "--on-limit", evil],
        &["prompt", "-p", "x", "--pause", &format!("5{evil}")],
    ] {
        let run = project.run_as_it_is(args);
        run.assert_exit(2);
        assert!(run.stderr.contains("x\u{fffd}y"), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{202e}'), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn another_prompt_is_not_what_the_last_run_can_be_resumed_with() {
    let project = Project::new().agent(["echo 'not yet'", PROMISE]);
    project.run(&["prompt", "task.md", "1"]).assert_exit(1);
    let run = project.run(&["prompt", "-p", "x", "--resume"]);
    run.assert_refused(["the last run worked from another prompt (task.md)"]);
    let run = project.run(&["prompt", "task.md", "2", "--resume"]);
    assert_eq!(run.assert_exit(0).resumed_after(), Some(1));
}
