//! `ralph-loop settings` as a user calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use assert_cmd::assert::Assert;
use assert_fs::TempDir;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
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

fn settings(project: &Path, args: &[&str]) -> Assert {
    command("settings", project, args)
}

/// From a folder of its own, so that the project is found by its flag.
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
fn people_see_each_value_with_its_source_and_no_secret() {
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
fn what_is_no_setting_is_refused_and_not_offered() {
    let project = project("", "");
    let mut help =
        settings(project.path(), &["--help"]).success().stdout(contains("--max-iterations"));
    for flag in ["--resume", "--fresh", "--dry-run", "--allow-dirty"] {
        settings(project.path(), &[flag]).code(2).stderr(contains(flag)).stdout(is_empty());
        help = help.stdout(contains(flag).not());
    }
}

#[test]
fn status_looks_as_the_settings_say_unless_they_are_broken() {
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
fn broken_settings_are_told_before_the_example_story_is() {
    let project = project("", "");
    command("init", project.path(), &["--yes"]).success();
    command("run", project.path(), &[]).stderr(contains("only the example story"));
    fs::write(project.path().join(".ralph/settings.json"), "{").unwrap();
    command("run", project.path(), &[]).code(2).stderr(contains("it is not JSON"));
}

#[test]
fn machines_get_settings_origins_and_files() {
    let project = project(r#"{"agent": {"model": "opus"}}"#, "");
    let json = json_of(&settings(project.path(), &["--json"]).success());
    assert_eq!(json["settings"]["agent"]["model"], "opus");
    assert_eq!(json["settings"]["completionResponse"], "DONE");
    assert_eq!(json["origins"]["agent.model"], ".ralph/settings.json");
    assert_eq!(json["origins"]["completionResponse"], "default");
    assert_eq!(json["files"], json!([".ralph/settings.json"]));
}

#[test]
fn the_schema_is_printed_even_where_the_settings_are_broken() {
    let schema = json_of(&settings(project("{", "").path(), &["--schema"]).success());
    assert_eq!(schema["properties"]["completionResponse"]["default"], "DONE");
}

#[test]
fn wrong_settings_are_told_with_a_hint_and_nothing_is_written() {
    let project = project(r#"{"maxIterations": 20}"#, "{\n");
    settings(project.path(), &[])
        .code(2)
        .stdout(is_empty())
        .stderr(contains("did you mean \"maximumIterations\"?"))
        .stderr(contains(".ralph/settings.local.json: line 2, column 0: it is not JSON"))
        .stderr(contains("\nhint: docs/settings.md"));
    let files = fs::read_dir(project.path().join(".ralph")).unwrap().count();
    assert_eq!((files, fs::read_dir(project.path()).unwrap().count()), (2, 1));
    let kept = fs::read_to_string(project.path().join(".ralph/settings.json")).unwrap();
    assert_eq!(kept, r#"{"maxIterations": 20}"#);
}

#[test]
fn a_warning_after_the_end_is_a_problem_of_the_settings() {
    let late = project(r#"{"timeLimits": {"reviewSoft": "5m"}}"#, "");
    settings(late.path(), &[])
        .code(2)
        .stdout(is_empty())
        .stderr(contains(".ralph/settings.json: timeLimits.reviewSoft: a warning"))
        .stderr(contains("\nhint: timeLimits.review ends it after 5m"));
    // A flag holds for one run.
    settings(late.path(), &["--review-timeout", "2m"]).success();
    // Too late for stories, in time for a prompt.
    settings(project(r#"{"timeLimits": {"iterationSoft": "30m"}}"#, "").path(), &[]).success();
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

/// A prompt loop needs no git, and its first iteration can be seen anywhere.
#[cfg(unix)]
#[test]
fn the_limits_that_hold_are_shown_before_anything_runs() {
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
fn whoever_looks_at_the_quality_is_found_before_anything_runs() {
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
        .stderr(contains("quality.promptFile: there is no file ralph/quality.md"))
        .stderr(contains("\nhint: a path from the project's root"));
    refused(r#"{"enabled": true, "agent": "/bin/sh", "model": "m"}"#, &[])
        .stderr(contains(".ralph/settings.json: quality.model: /bin/sh cannot"));
}

#[test]
fn another_settings_file_takes_the_place_of_the_shared_one_and_not_of_the_local_one() {
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
        .stderr(contains("there is no settings file nowhere.json"));
}

#[test]
fn a_section_without_values_is_left_out() {
    let shown = |base: &str| json_of(&settings(project(base, "").path(), &["--json"]).success());
    assert_eq!(shown("{}")["settings"].get("guard"), None);
    let set = shown(r#"{"guard": {"maxBlocks": 2}}"#);
    assert_eq!(set["settings"]["guard"], json!({"maxBlocks": 2}));
}
