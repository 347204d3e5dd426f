//! The time limits of a run, as shown by `--dry-run` and `ralph-loop settings`.

use serde_json::{Value, json};

use crate::harness::Project;
use crate::stories::story;

fn call(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The limits in a dry run.
fn limits(project: &Project, flags: &[&str]) -> String {
    let dry = ["run", "--dry-run", "--agent-program", "sh", "--quality"];
    let printed = call(project, &[&dry, flags].concat());
    let line = printed.lines().find_map(|line| line.strip_prefix("Time limits (warns/ends): "));
    line.unwrap_or_else(|| panic!("{printed}")).to_owned()
}

#[test]
fn without_settings_the_defaults_apply() {
    let project = Project::new([story("US-001")]);
    let usual = "session 12m/20m, review 3m/5m, check 5m/10m, quality 2m/3m, run 45m/1h";
    assert_eq!(limits(&project, &[]), usual);
    let shown = call(&project, &["settings"]);
    for line in [
        "iterationSoft = none in prompt loops, 12m in story loops",
        "iteration = 1h in prompt loops, 20m in story loops",
        "reviewSoft = \"3m\"",
        "review = \"5m\"",
        "guardrailSoft = \"5m\"",
        "guardrail = \"10m\"",
        "qualitySoft = \"2m\"",
        "quality = \"3m\"",
        "runSoft = none in prompt loops, 45m in story loops",
        "run = none in prompt loops, 1h in story loops",
        "multiplier = 1.0",
    ] {
        assert!(shown.contains(&format!("timeLimits.{line} ")), "{line}: {shown}");
    }
}

#[test]
fn the_multiplier_is_in_all_of_them() {
    let project = Project::new([story("US-001")]);
    for (by, expected) in [
        (
            "0.5",
            "session 6m/10m, review 1m 30s/2m 30s, check 2m 30s/5m, quality 1m/1m 30s, run 22m \
             30s/30m",
        ),
        ("3", "session 36m/1h, review 9m/15m, check 15m/30m, quality 6m/9m, run 2h 15m/3h"),
    ] {
        assert_eq!(limits(&project, &["--timeout-multiplier", by]), expected);
        let set = json!({"timeLimits": {"multiplier": by.parse::<f64>().unwrap()}});
        let other = Project::new([story("US-001")]).settings(&set);
        assert_eq!(limits(&other, &[]), expected, "in the settings");
    }
}

#[test]
fn no_time_is_no_limit_whatever_it_is_multiplied_with() {
    let keys = ["iteration", "review", "guardrail", "quality", "run"];
    let all = keys.into_iter().flat_map(|key| [key.to_owned(), format!("{key}Soft")]);
    let none: Value = all.map(|key| (key, json!("0s"))).collect::<serde_json::Map<_, _>>().into();
    let project = Project::new([story("US-001")]).settings(&json!({"timeLimits": none}));
    let expected = "session none, review none, check none, quality none, run none";
    assert_eq!(limits(&project, &[]), expected);
    assert_eq!(limits(&project, &["--timeout-multiplier", "3"]), expected);
    let flags = ["--iteration-timeout", "2m", "--review-timeout", "90s", "--run-timeout", "4m"];
    let expected = "session -/2m, review -/1m 30s, check none, quality none, run -/4m";
    assert_eq!(limits(&project, &flags), expected);
}
