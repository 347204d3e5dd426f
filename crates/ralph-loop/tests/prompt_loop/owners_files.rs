//! Settings define the checks, so an agent cannot change them.

use events::{IterationStatus, RunEnd};
use serde_json::json;

use crate::harness::{PROMISE, Project};

/// A guardrail that always fails.
fn strict() -> Project {
    Project::new().settings(&json!({"guardrails": [{"command": "false"}]}))
}

#[test]
fn settings_changed_by_the_agent_are_restored_and_the_guardrails_apply() {
    let acts = [
        "echo '{}' >.ralph/settings.json",
        "rm .ralph/settings.json",
        "rm .ralph/settings.json; mkdir .ralph/settings.json",
        "rm -r .ralph",
    ];
    for act in acts {
        let project = strict().agent([&format!("{act}; {PROMISE}"), PROMISE]);
        let before = project.read(".ralph/settings.json");
        let run = project.run(&["prompt", "task.md", "2"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(run.statuses(), [IterationStatus::ChecksFailed; 2], "{act}");
        assert_eq!(project.read(".ralph/settings.json"), before, "{act}");
        let warning = "the agent or its code changed .ralph/settings.json";
        assert!(run.warnings().contains(warning), "{act}: {}", run.warnings());
    }
}

#[test]
fn local_settings_changed_by_the_agent_are_restored() {
    let write = format!("echo '{{\"guardrails\": []}}' >.ralph/settings.local.json; {PROMISE}");
    let warning = "the agent or its code changed .ralph/settings.local.json";
    let project = strict().agent([&write]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert!(run.warnings().contains(warning), "{}", run.warnings());
    assert!(!project.has(".ralph/settings.local.json"));

    let project = strict().local_settings(&json!({"maximumIterations": 1})).agent([&write]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert!(run.warnings().contains(warning), "{}", run.warnings());
    assert_eq!(project.read(".ralph/settings.local.json"), r#"{"maximumIterations":1}"#);
}

#[test]
fn also_while_it_is_asked_for_a_commit_message() {
    let project = Project::new()
        .agent([&format!("echo x >made; {PROMISE}")])
        .message("echo '{}' >.ralph/settings.json; echo 'Add made'")
        .settings(&json!({"scm": {"tasks": ["commit"]}}));
    let before = project.read(".ralph/settings.json");
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.read(".ralph/settings.json"), before);
    assert!(
        run.warnings().contains("the agent or its code changed .ralph/settings.json"),
        "{}",
        run.warnings()
    );
}

#[test]
fn also_by_what_a_guardrail_runs() {
    let act = format!("echo 'echo {{}} >.ralph/settings.json' >check.sh; {PROMISE}");
    let guardrails = json!([{"command": "test -f need"}, {"command": "sh check.sh"}]);
    // In its sandbox a guardrail could not write them.
    let settings = json!({"guardrails": guardrails, "isolation": {"checks": "none"}});
    let project = Project::new().agent([&act]).settings(&settings);
    let before = project.read(".ralph/settings.json");
    let run = project.run(&["prompt", "task.md", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.read(".ralph/settings.json"), before);
    assert!(
        run.warnings().contains("the agent or its code changed .ralph/settings.json"),
        "{}",
        run.warnings()
    );
}

#[test]
fn settings_of_claude_code_come_back_whatever_the_agent_put_in_their_place() {
    for act in [
        "rm -r .claude; echo x >.claude",
        "rm .claude/settings.json; mkdir -p .claude/settings.json/x",
        "mv .claude moved; ln -s moved .claude; echo '{}' >.claude/settings.json",
    ] {
        let project = Project::new().agent([&format!("{act}; {PROMISE}")]);
        project.write(".claude/settings.json", "{\"own\": 1}");
        let run = project.run(&["prompt", "task.md", "1"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(project.read(".claude/settings.json"), "{\"own\": 1}", "{act}");
        let warning = "the agent or its code changed .claude/settings.json";
        assert!(run.warnings().contains(warning), "{act}: {}", run.warnings());
    }
}
