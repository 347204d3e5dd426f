//! Flags and defaults of `init` without a terminal.

use std::process::{Output, Stdio};

use crate::project::Project;

#[track_caller]
fn init(project: &Project, flags: &[&str]) -> Output {
    project.init(flags).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn everything_the_dialogue_asks_has_a_flag() {
    let project = Project::new();
    let output = init(
        &project,
        &[
            "--agent",
            "my-agent",
            "--agent-flag",
            "--model",
            "--agent-flag=opus",
            "--max-iterations",
            "7",
            "--completion-response",
            "ALL DONE",
            "--guardrail",
            "make lint # Fix lint errors only.",
            "--guardrail",
            "replace: make test",
            "--scm-command",
            "git",
            "--scm-task",
            "commit",
            "--scm-task",
            "push",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written: serde_json::Value =
        serde_json::from_str(&project.read(".ralph/settings.json")).unwrap();
    let expected = serde_json::json!({
        "$schema": "./settings.schema.json",
        "maximumIterations": 7,
        "completionResponse": "ALL DONE",
        "agent": {"command": "my-agent", "flags": ["--model", "opus"]},
        "guardrails": [
            {"command": "make lint", "failAction": "APPEND", "hint": "Fix lint errors only."},
            {"command": "make test", "failAction": "REPLACE"},
        ],
        "scm": {"command": "git", "tasks": ["commit", "push"]},
    });
    assert_eq!(written, expected);
}

#[test]
fn the_needs_of_clones_are_proposed_once() {
    let project = Project::new();
    test_repo::init_for_commits(&project.root());
    project.write(".gitignore", ".env\n");
    project.write(".env", "PORT=1\n");
    project.write("package-lock.json", "{}");
    let init = |flags: &[&str]| {
        // With git.
        let path = std::env::var_os("PATH").unwrap();
        project.init(flags).env("PATH", path).stdin(Stdio::null()).output().unwrap()
    };
    let output = init(&[]);
    let settings: serde_json::Value =
        serde_json::from_str(&project.read(".ralph/settings.json")).unwrap();
    assert_eq!(settings["lanes"], serde_json::json!({"setup": ["npm ci"]}));
    assert!(project.read(".worktreeinclude").ends_with("\n/.env\n"));
    let text = text(&output);
    assert!(text.contains("  created   .worktreeinclude\n"), "{text}");
    assert!(text.contains("\nSetup of clones for ralph-loop -j N (lanes.setup"), "{text}");
    assert!(text.contains("  npm ci  (package-lock.json)\n"), "{text}");

    project.write(".worktreeinclude", "mine\n");
    let again = init(&["--force"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert_eq!(project.read(".worktreeinclude"), "mine\n");
}

#[test]
fn proofs_are_proposed_where_a_test_framework_is_used() {
    let line = "\nTests: pytest; --proof has each criterion proven by a test that another session writes.\n";
    let project = Project::new();
    project.write("pytest.ini", "[pytest]\n");
    let proposed = init(&project, &[]);
    assert!(text(&proposed).contains(line), "{proposed:?}");
    let settings = project.read(".ralph/settings.json");
    assert!(!settings.contains("proof"), "{settings}");
    assert!(!text(&init(&project, &[])).contains("Tests: "), "once");

    let wanted = init(&project, &["--proof", "--force"]);
    assert!(!text(&wanted).contains("Tests: "), "{wanted:?}");
    let settings: serde_json::Value =
        serde_json::from_str(&project.read(".ralph/settings.json")).unwrap();
    assert_eq!(settings["proof"], "require");

    let without = init(&Project::new(), &[]);
    assert!(!text(&without).contains("Tests: "), "{without:?}");
    let other = Project::new();
    other.write("go.mod", "module shop\n");
    let json: serde_json::Value = serde_json::from_str(&text(&init(&other, &["--json"]))).unwrap();
    assert_eq!(json["frameworks"], serde_json::json!(["go"]));
}

#[test]
fn what_init_writes_can_be_loaded() {
    let project = Project::new();
    init(&project, &[]);
    let path = |name| project.root().join(".ralph").join(name);
    let (base, local) = (path("settings.json"), path("settings.local.json"));
    let loaded = settings::load(&base, &local, &settings::Flags::new()).unwrap();
    assert_eq!(loaded.settings.agent.command, "claude");
    assert_eq!(loaded.settings.maximum_iterations, None);
    assert!(!text(&init(&project, &[])).contains("note:"), "no flag was ignored");
}

#[test]
fn existing_settings_are_kept_without_force() {
    let project = Project::new();
    project.write(".ralph/settings.json", "mine, and broken");
    project.write(".ralph/settings.schema.json", "{}");
    let output = init(&project, &["--agent", "codex"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(project.read(".ralph/settings.json"), "mine, and broken");
    assert_eq!(project.read(".ralph/settings.schema.json"), "{}");
    assert!(
        text(&output).contains("\nnote: existing settings are kept; use --force"),
        "{output:?}"
    );

    let output = init(&project, &["--agent", "codex", "--force"]);
    assert_eq!(project.read(".ralph/settings.json.bak"), "mine, and broken");
    assert!(project.read(".ralph/settings.json").contains("\"codex\""));
    assert_eq!(project.read(".ralph/settings.schema.json"), settings::SCHEMA);
    assert!(text(&output).contains("  renewed   .ralph/settings.schema.json\n"), "{output:?}");
    assert!(!text(&output).contains("note: existing settings"), "{output:?}");
}

#[test]
fn invalid_flags_are_refused_before_anything_is_written() {
    let wrong: [&[&str]; 9] = [
        &["--agent", " "],
        &["-n", "0"],
        &["-n", "many"],
        &["--completion-response", ""],
        &["--completion-response", "<response>DONE</response>"],
        &["--guardrail", "APPEND: # only a hint"],
        &["--scm-task", "fetch"],
        &["--scm-command", ""],
        &["--name", "../"],
    ];
    for flags in wrong {
        let project = Project::new();
        let output = init(&project, flags);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {output:?}");
        assert!(!output.stderr.is_empty());
        assert_eq!(project.everything(), [""; 0], "{flags:?}");
    }
}

#[test]
fn settings_that_cannot_be_written_are_an_error() {
    let project = Project::new();
    project.write(".ralph", "a file");
    let output = init(&project, &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.ends_with(".ralph is not a folder\n"), "{output:?}");
    assert_eq!(project.everything(), [".ralph"], "found before anything was written");
}

#[test]
fn the_help_lists_every_option() {
    let help = text(&init(&Project::new(), &["--help"]));
    for word in ["Ctrl-C", "APPEND", "PREPEND", "REPLACE", "Examples:", "--yes", "--from-plan"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
