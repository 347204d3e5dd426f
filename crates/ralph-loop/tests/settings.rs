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
        .timeout(Duration::from_secs(180))
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

#[test]
fn a_warning_after_the_end_is_a_problem_of_the_settings() {
    let late = project(r#"{"timeLimits": {"reviewSoft": "5m"}}"#, "");
    let output = settings(late.path(), &[]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    let said = text(&output.stderr);
    assert!(said.contains(".ralph/settings.json: timeLimits.reviewSoft: a warning"), "{said}");
    assert!(said.contains("\nhint: timeLimits.review ends it after 5m"), "{said}");
    let output = settings(late.path(), &["--review-timeout", "2m"]);
    assert_eq!(output.status.code(), Some(0), "a flag holds for one run: {output:?}");
    // Too late for stories, in time for a prompt.
    let output = settings(project(r#"{"timeLimits": {"iterationSoft": "30m"}}"#, "").path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn each_flag_stands_over_its_setting() {
    let project = project(r#"{"attempts": {"most": 9}, "quality": {"enabled": true}}"#, "");
    let flags = [
        ("--review-timeout", "4m", "timeLimits.review", json!("4m")),
        ("--run-timeout", "8h", "timeLimits.run", json!("8h")),
        ("--timeout-multiplier", "2.5", "timeLimits.multiplier", json!(2.5)),
        ("--max-attempts", "3", "attempts.most", json!(3)),
        ("--at-review-cap", "fail", "review.atCap", json!("fail")),
        ("--quality-model", "haiku", "quality.model", json!("haiku")),
    ];
    let given: Vec<&str> = flags.iter().flat_map(|(flag, value, ..)| [*flag, *value]).collect();
    let output = settings(project.path(), &[&["--json", "--no-quality"], &given[..]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let off = ("--no-quality", "", "quality.enabled", json!(false));
    for (flag, _, path, value) in flags.into_iter().chain([off]) {
        let at = format!("/settings/{}", path.replace('.', "/"));
        assert_eq!(json.pointer(&at), Some(&value), "{flag}");
        assert_eq!(json["origins"][path], flag);
    }
    let output = settings(project.path(), &["--json", "--no-quality", "--quality"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["origins"]["quality.enabled"], "--quality", "the last word counts");
}

/// A prompt loop needs no git, and its first iteration can be seen anywhere.
#[cfg(unix)]
#[test]
fn the_limits_that_hold_are_shown_before_anything_runs() {
    let limits = |settings: &str, flags: &[&str]| {
        let dry = ["-p", "x", "--dry-run", "--agent", "/bin/sh"];
        let output = command("prompt", project(settings, "").path(), &[&dry, flags].concat());
        let said = text(&output.stdout).to_owned();
        let line = said.lines().find_map(|line| line.strip_prefix("Time limits (warns/ends): "));
        line.map(str::to_owned).unwrap_or_else(|| text(&output.stderr).to_owned())
    };
    assert_eq!(limits("", &[]), "session -/1h, check 5m/10m, run none");
    let set = r#"{"timeLimits": {"iterationSoft": "30m", "run": "2h", "guardrail": "0s"}}"#;
    assert_eq!(limits(set, &[]), "session 30m/1h, check 5m/-, run -/2h");
    let flags = ["--timeout-multiplier", "0.5", "--iteration-timeout", "20m", "--run-timeout", "0"];
    assert_eq!(limits(set, &flags), "session -/10m, check 2m 30s/-, run none");
}

#[cfg(unix)]
#[test]
fn whoever_looks_at_the_quality_is_found_before_anything_runs() {
    let refused = |quality: &str, flags: &[&str]| {
        let project = project(&format!("{{\"quality\": {quality}}}"), "");
        let output = command("run", project.path(), &[&["--agent", "/bin/sh"], flags].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        text(&output.stderr).to_owned()
    };
    let nobody = r#"{"enabled": true, "agent": "./no-such-agent"}"#;
    assert!(refused(nobody, &[]).contains("no-such-agent"));
    let on = refused(r#"{"agent": "./no-such-agent"}"#, &["--quality"]);
    assert!(on.contains("no-such-agent"), "{on}");
    let off = refused(nobody, &["--no-quality"]);
    assert!(!off.contains("no-such-agent"), "another reason: {off}");
    let no_prompt = refused(r#"{"enabled": true, "promptFile": "ralph/quality.md"}"#, &[]);
    assert!(no_prompt.contains("quality.promptFile: there is no file ralph/quality.md"));
    assert!(no_prompt.contains("\nhint: a path from the project's root"), "{no_prompt}");
    let unable = r#"{"enabled": true, "agent": "/bin/sh", "model": "m"}"#;
    let unable = refused(unable, &[]);
    assert!(unable.contains(".ralph/settings.json: quality.model: /bin/sh cannot"), "{unable}");
}
