//! `ralph-loop settings` as a user calls it.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use assert_cmd::assert::Assert;
use assert_fs::TempDir;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::{Value, json};

/// A project with these two settings files; empty ones are not written.
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

fn settings(project: &Path, args: &[&str]) -> Assert {
    command("settings", project, args)
}

/// From another folder, so that only the flag finds the project.
fn command(name: &str, project: &Path, args: &[&str]) -> Assert {
    let elsewhere = TempDir::new().unwrap();
    assert_cmd::Command::new(assert_cmd::cargo::cargo_bin("ralph-loop"))
        .env_clear()
        .current_dir(elsewhere.path())
        .args([name, "--project-dir", project.to_str().unwrap()])
        .args(args)
        .timeout(Duration::from_secs(180))
        .assert()
}

fn stdout(assert: &Assert) -> &str {
    std::str::from_utf8(&assert.get_output().stdout).unwrap()
}

fn json_of(assert: &Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

#[test]
fn each_value_is_shown_with_its_source_and_without_secrets() {
    let project = project(
        r#"{"maximumIterations": 20, "guardrails": [{"command": "make test"}]}"#,
        r#"{"env": {"TOKEN": "hunter2"}}"#,
    );
    let shown = settings(project.path(), &[]).success();
    let lines: Vec<Vec<&str>> = stdout(&shown)
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
fn flags_that_are_not_settings_are_refused_and_hidden() {
    let project = project("", "");
    let mut help =
        settings(project.path(), &["--help"]).success().stdout(contains("--max-iterations"));
    for flag in ["--resume", "--fresh", "--dry-run", "--allow-dirty"] {
        settings(project.path(), &[flag]).code(2).stderr(contains(flag)).stdout(is_empty());
        help = help.stdout(contains(flag).not());
    }
}

#[test]
fn status_uses_the_display_settings_unless_they_are_broken() {
    let plain = r#"{"display": {"emoji": false, "color": "always"}}"#;
    for (settings, flags, beginning) in [
        ("", &[][..], "❌ "),
        (plain, &["--color", "never"], "[ERR] "),
        (plain, &["--emoji", "--color", "never"], "❌ "),
        (plain, &[], "\u{1b}["),
        ("{", &["--no-emoji"], "[ERR] "),
        ("{", &[], "❌ "),
    ] {
        let project = project(settings, "");
        command("status", project.path(), flags).success().stdout(starts_with(beginning));
    }
}

#[test]
fn broken_settings_are_reported_before_the_example_story() {
    let project = project("", "");
    command("init", project.path(), &["--yes"]).success();
    command("run", project.path(), &[]).stderr(contains("only the example story"));
    fs::write(project.path().join(".ralph/settings.json"), "{").unwrap();
    command("run", project.path(), &[]).code(2).stderr(contains("invalid JSON"));
}

#[test]
fn json_contains_settings_origins_and_files() {
    let project = project(r#"{"agent": {"model": "opus"}}"#, "");
    let json = json_of(&settings(project.path(), &["--json"]).success());
    assert_eq!(json["settings"]["agent"]["model"], "opus");
    assert_eq!(json["settings"]["completionResponse"], "DONE");
    assert_eq!(json["origins"]["agent.model"], ".ralph/settings.json");
    assert_eq!(json["origins"]["completionResponse"], "default");
    assert_eq!(json["files"], json!([".ralph/settings.json"]));
}

#[test]
fn the_schema_is_printed_even_with_broken_settings() {
    let schema = json_of(&settings(project("{", "").path(), &["--schema"]).success());
    assert_eq!(schema["properties"]["completionResponse"]["default"], "DONE");
}

#[test]
fn wrong_settings_are_reported_with_a_hint_and_nothing_is_written() {
    let project = project(r#"{"maxIterations": 20}"#, "{\n");
    settings(project.path(), &[])
        .code(2)
        .stdout(is_empty())
        .stderr(contains("did you mean \"maximumIterations\"?"))
        .stderr(contains(".ralph/settings.local.json: line 2, column 0: invalid JSON"))
        .stderr(contains("\nhint: docs/settings.md"));
    let files = fs::read_dir(project.path().join(".ralph")).unwrap().count();
    assert_eq!((files, fs::read_dir(project.path()).unwrap().count()), (2, 1));
    let kept = fs::read_to_string(project.path().join(".ralph/settings.json")).unwrap();
    assert_eq!(kept, r#"{"maxIterations": 20}"#);
}

#[test]
fn a_warning_after_its_limit_is_an_error() {
    let late = project(r#"{"timeLimits": {"reviewSoft": "5m"}}"#, "");
    settings(late.path(), &[])
        .code(2)
        .stdout(is_empty())
        .stderr(contains(".ralph/settings.json: timeLimits.reviewSoft: the warning"))
        .stderr(contains("\nhint: timeLimits.review ends the work after 5m"));
    // A flag applies to one run.
    settings(late.path(), &["--review-timeout", "2m"]).success();
    // Too late for story loops, in time for prompt loops.
    settings(project(r#"{"timeLimits": {"iterationSoft": "30m"}}"#, "").path(), &[]).success();
}

#[test]
fn each_flag_overrides_its_setting() {
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
    let json =
        json_of(&settings(project.path(), &[&["--json", "--no-quality"], &given[..]].concat()));
    let off = ("--no-quality", "", "quality.enabled", json!(false));
    for (flag, _, path, value) in flags.into_iter().chain([off]) {
        let at = format!("/settings/{}", path.replace('.', "/"));
        assert_eq!(json.pointer(&at), Some(&value), "{flag}");
        assert_eq!(json["origins"][path], flag);
    }
    let json = json_of(&settings(project.path(), &["--json", "--no-quality", "--quality"]));
    assert_eq!(json["origins"]["quality.enabled"], "--quality", "the last word counts");
}

/// A dry run of a prompt loop needs no git.
#[cfg(unix)]
#[test]
fn a_dry_run_shows_the_effective_limits() {
    let limits = |settings: &str, flags: &[&str]| {
        let dry = ["-p", "x", "--dry-run", "--agent", "/bin/sh"];
        let dry = command("prompt", project(settings, "").path(), &[&dry, flags].concat());
        let dry = dry.stdout(contains("Time limits (warns/ends): "));
        let mut lines = stdout(&dry).lines();
        let line = lines.find_map(|line| line.strip_prefix("Time limits (warns/ends): "));
        line.unwrap().to_owned()
    };
    assert_eq!(limits("", &[]), "session -/1h, check 5m/10m, run none");
    let set = r#"{"timeLimits": {"iterationSoft": "30m", "run": "2h", "guardrail": "0s"}}"#;
    assert_eq!(limits(set, &[]), "session 30m/1h, check 5m/-, run -/2h");
    let flags = ["--timeout-multiplier", "0.5", "--iteration-timeout", "20m", "--run-timeout", "0"];
    assert_eq!(limits(set, &flags), "session -/10m, check 2m 30s/-, run none");
}

#[cfg(unix)]
#[test]
fn the_quality_agent_is_checked_before_anything_runs() {
    let refused = |quality: &str, flags: &[&str]| {
        let project = project(&format!("{{\"quality\": {quality}}}"), "");
        command("run", project.path(), &[&["--agent", "/bin/sh"], flags].concat()).code(2)
    };
    let absent = r#"{"enabled": true, "agent": "./no-such-agent"}"#;
    refused(absent, &[]).stderr(contains("no-such-agent"));
    refused(r#"{"agent": "./no-such-agent"}"#, &["--quality"]).stderr(contains("no-such-agent"));
    // For another reason.
    refused(absent, &["--no-quality"]).stderr(contains("no-such-agent").not());
    refused(r#"{"enabled": true, "promptFile": "ralph/quality.md"}"#, &[])
        .stderr(contains("quality.promptFile: file ralph/quality.md not found"))
        .stderr(contains("\nhint: use a path relative to the project root"));
    refused(r#"{"enabled": true, "agent": "/bin/sh", "model": "m"}"#, &[])
        .stderr(contains(".ralph/settings.json: quality.model: /bin/sh has no option"));
}

#[test]
fn config_replaces_the_shared_settings_and_not_the_local_ones() {
    let project = project(
        r#"{"maximumIterations": 20, "retries": {"most": 7}}"#,
        r#"{"agent": {"model": "local"}}"#,
    );
    let other = project.path().join("ci/ralph.json");
    fs::create_dir(other.parent().unwrap()).unwrap();
    fs::write(&other, r#"{"maximumIterations": 3, "agent": {"model": "shared"}}"#).unwrap();
    let args = ["--json", "--config", other.to_str().unwrap()];
    let shown = json_of(&settings(project.path(), &args).success());
    assert_eq!(shown["settings"]["maximumIterations"], 3);
    assert_eq!(shown["settings"]["retries"]["most"], 3, "the default, not the shared file's");
    assert_eq!(shown["settings"]["agent"]["model"], "local");
    assert_eq!(shown["files"], json!(["ci/ralph.json", ".ralph/settings.local.json"]));
    settings(project.path(), &["--config", "nowhere.json"])
        .code(2)
        .stderr(contains("settings file nowhere.json not found"));
}

#[test]
fn an_empty_section_is_not_shown() {
    let shown = |base: &str| json_of(&settings(project(base, "").path(), &["--json"]).success());
    assert_eq!(shown("{}")["settings"].get("guard"), None);
    let set = shown(r#"{"guard": {"maxBlocks": 2}}"#);
    assert_eq!(set["settings"]["guard"], json!({"maxBlocks": 2}));
}
