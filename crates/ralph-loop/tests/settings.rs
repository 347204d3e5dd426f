//! `ralph-loop settings` as a user calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use assert_fs::TempDir;
use serde_json::{Value, json};

/// A project with these two files, where they are given.
fn project(base: &str, local: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join(".ralph")).unwrap();
    for (name, text) in [("settings.json", base), ("settings.local.json", local)] {
        if !text.is_empty() {
            fs::write(dir.path().join(".ralph").join(name), text).unwrap();
        }
    }
    dir
}

fn settings(project: &Path, args: &[&str]) -> Output {
    command("settings", project, args)
}

/// From a folder of its own, so that the project is found by its flag.
fn command(name: &str, project: &Path, args: &[&str]) -> Output {
    let elsewhere = TempDir::new().unwrap();
    assert_cmd::Command::new(assert_cmd::cargo::cargo_bin("ralph-loop"))
        .env_clear()
        .current_dir(elsewhere.path())
        .args([name, "--project-dir", project.to_str().unwrap()])
        .args(args)
        .timeout(Duration::from_secs(60))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn people_see_each_value_with_its_source_and_no_secret() {
    let project = project(
        r#"{"maximumIterations": 20, "guardrails": [{"command": "make test"}]}"#,
        r#"{"env": {"TOKEN": "hunter2"}}"#,
    );
    let output = settings(project.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines: Vec<Vec<&str>> = text(&output.stdout)
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect())
        .collect();
    for line in [
        ["maximumIterations = 20", ".ralph/settings.json"],
        ["guardrails[0].command = \"make test\"", ".ralph/settings.json"],
        ["guardrails[0].failAction = \"APPEND\"", "default"],
        ["env.TOKEN = \"[redacted]\"", ".ralph/settings.local.json"],
        ["agent.command = \"claude\"", "default"],
        ["guard.maxBlocks = 6", "default"],
    ] {
        assert!(lines.contains(&line.to_vec()), "{line:?} is not in {lines:?}");
    }
}

#[test]
fn what_is_no_setting_is_refused_and_not_offered() {
    let project = project("", "");
    let help = settings(project.path(), &["--help"]);
    for flag in ["--resume", "--fresh", "--dry-run", "--allow-dirty"] {
        let output = settings(project.path(), &[flag]);
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(text(&output.stderr).contains(flag) && output.stdout.is_empty(), "{output:?}");
        assert!(!text(&help.stdout).contains(flag), "{flag}");
    }
    assert!(text(&help.stdout).contains("--max-iterations"));
}

#[test]
fn status_looks_as_the_settings_say_unless_they_are_broken() {
    let shown = |settings: &str, flags: &[&str]| {
        let output = command("status", project(settings, "").path(), flags);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).to_owned()
    };
    let plain = r#"{"display": {"emoji": false, "color": "always"}}"#;
    assert!(shown("", &[]).starts_with("❌ "));
    assert!(shown(plain, &["--color", "never"]).starts_with("[ERR] "));
    assert!(shown(plain, &["--emoji", "--color", "never"]).starts_with("❌ "));
    assert!(shown(plain, &[]).starts_with("\u{1b}["), "coloured");
    assert!(shown("{", &["--no-emoji"]).starts_with("[ERR] "));
    assert!(shown("{", &[]).starts_with("❌ "));
}

#[test]
fn broken_settings_are_told_before_the_example_story_is() {
    let project = project("", "");
    let output = command("init", project.path(), &["--yes"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = command("run", project.path(), &[]);
    assert!(text(&output.stderr).contains("only the example story"), "{output:?}");
    fs::write(project.path().join(".ralph/settings.json"), "{").unwrap();
    let output = command("run", project.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is not JSON"), "{output:?}");
}

#[test]
fn machines_get_settings_origins_and_files() {
    let project = project(r#"{"agent": {"model": "opus"}}"#, "");
    let output = settings(project.path(), &["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["settings"]["agent"]["model"], "opus");
    assert_eq!(json["settings"]["completionResponse"], "DONE");
    assert_eq!(json["origins"]["agent.model"], ".ralph/settings.json");
    assert_eq!(json["origins"]["completionResponse"], "default");
    assert_eq!(json["files"], json!([".ralph/settings.json"]));
}

#[test]
fn the_schema_is_printed_even_where_the_settings_are_broken() {
    let output = settings(project("{", "").path(), &["--schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["properties"]["completionResponse"]["default"], "DONE");
}

#[test]
fn wrong_settings_are_told_with_a_hint_and_nothing_is_written() {
    let project = project(r#"{"maxIterations": 20}"#, "{\n");
    let output = settings(project.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "");
    let said = text(&output.stderr);
    for part in [
        "did you mean \"maximumIterations\"?",
        ".ralph/settings.local.json: line 2, column 0: it is not JSON",
        "\nhint: docs/settings.md",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let files = fs::read_dir(project.path().join(".ralph")).unwrap().count();
    assert_eq!((files, fs::read_dir(project.path()).unwrap().count()), (2, 1));
    let kept = fs::read_to_string(project.path().join(".ralph/settings.json")).unwrap();
    assert_eq!(kept, r#"{"maxIterations": 20}"#);
}
