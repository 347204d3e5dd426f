//! The marker contains the soft and the hard limit of the session for its hooks.

use events::RunEnd;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use super::{assert_end, fresh, project, submitted};

/// Seconds from the marker's own time to its two limits.
fn limits_in_marker(mode: Mode, story: &Value, limits: &Value) -> [Option<i64>; 2] {
    let project = project(story, &[], limits);
    let acts = [Act::bash("cp .ralph-active ../marker.json"), Act::finish("Later.")];
    project.scenario(&Scenario::new().rule(When::mode(mode), acts));
    assert_end(&project, &project.run(&["-n", "1"]), RunEnd::IterationsUsed);
    let marker = std::fs::read(project.beside("marker.json")).unwrap();
    let marker: Value = serde_json::from_slice(&marker).unwrap();
    let written: chrono::DateTime<chrono::Utc> =
        marker["timestamp"].as_str().unwrap().parse().unwrap();
    ["softLimitAt", "hardLimitAt"].map(|key| Some(marker[key].as_i64()? - written.timestamp()))
}

#[track_caller]
fn assert_near(actual: [Option<i64>; 2], expected: [Option<i64>; 2]) {
    for (actual, expected) in actual.into_iter().zip(expected) {
        // A run has worked for a moment before its first session begins.
        let near = match (actual, expected) {
            (Some(actual), Some(expected)) => (expected - 20..=expected + 1).contains(&actual),
            (actual, expected) => actual == expected,
        };
        assert!(near, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn the_earlier_of_the_sessions_and_the_runs_limits_counts() {
    let run = |soft: &str, hard: &str| {
        json!({
            "iterationSoft": "200s", "iteration": "400s", "reviewSoft": "100s", "review": "300s",
            "runSoft": soft, "run": hard,
        })
    };
    let implement = |limits: &Value| limits_in_marker(Mode::Implement, &fresh(), limits);
    assert_near(implement(&run("500s", "600s")), [Some(200), Some(400)]);
    assert_near(implement(&run("60s", "600s")), [Some(60), Some(400)]);
    assert_near(implement(&run("60s", "150s")), [Some(60), Some(150)]);
    assert_near(implement(&run("0s", "0s")), [Some(200), Some(400)]);
    let review = limits_in_marker(Mode::Review, &submitted(), &run("500s", "600s"));
    assert_near(review, [Some(100), Some(300)]);
}

#[test]
fn without_a_limit_the_marker_has_none() {
    let none = json!({"iterationSoft": "0s", "iteration": "0s", "runSoft": "0s", "run": "0s"});
    assert_near(limits_in_marker(Mode::Implement, &fresh(), &none), [None, None]);
}
