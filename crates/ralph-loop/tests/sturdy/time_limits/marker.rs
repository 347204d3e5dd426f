//! The marker tells the session's hooks when the session should end, and when it is ended.

use engine::RunEnd;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use super::{assert_end, fresh, project, submitted};

/// Seconds from the marker's own time to its two limits.
fn told(mode: Mode, story: &Value, limits: &Value) -> [Option<i64>; 2] {
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
fn assert_near(told: [Option<i64>; 2], expected: [Option<i64>; 2]) {
    for (told, expected) in told.into_iter().zip(expected) {
        // A run has worked for a moment before its first session begins.
        let near = match (told, expected) {
            (Some(told), Some(expected)) => (expected - 20..=expected + 1).contains(&told),
            (told, expected) => told == expected,
        };
        assert!(near, "{told:?} is not {expected:?}");
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
    let implement = |limits: &Value| told(Mode::Implement, &fresh(), limits);
    assert_near(implement(&run("500s", "600s")), [Some(200), Some(400)]);
    assert_near(implement(&run("60s", "600s")), [Some(60), Some(400)]);
    assert_near(implement(&run("60s", "150s")), [Some(60), Some(150)]);
    assert_near(implement(&run("0s", "0s")), [Some(200), Some(400)]);
    let review = told(Mode::Review, &submitted(), &run("500s", "600s"));
    assert_near(review, [Some(100), Some(300)]);
}

#[test]
fn where_there_is_no_limit_there_is_none_in_it() {
    let none = json!({"iterationSoft": "0s", "iteration": "0s", "runSoft": "0s", "run": "0s"});
    assert_near(told(Mode::Implement, &fresh(), &none), [None, None]);
}
