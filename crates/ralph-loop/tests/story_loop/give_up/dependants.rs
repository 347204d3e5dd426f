//! Stories that wait for one that failed, directly or through another.

use events::RunEnd;
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;

use super::{fails, given_up, project};
use crate::stories::story;

fn after(id: &str, others: &[&str]) -> Value {
    let mut story = story(id);
    story["dependsOn"] = json!(others);
    story
}

#[test]
fn they_are_never_started_but_reported_and_the_run_ends() {
    let stories = [
        story("US-001"),
        after("US-002", &["US-001"]),
        after("US-003", &["US-002"]),
        story("US-004"),
        after("US-005", &["US-004", "US-003"]),
        after("US-006", &["US-004"]),
    ];
    let project = project(stories).scenario(fails("US-001", []));
    let run = project.run(["-n", "30"]);
    run.assert_end(RunEnd::StoriesFailed);
    let expected = [
        "implement US-001",
        "implement US-004",
        "review US-004",
        "implement US-006",
        "review US-006",
    ];
    assert_eq!(run.assignments(), expected);
    let dependants = &given_up(&run, "US-001").dependants;
    let dependants: Vec<&str> = dependants.iter().map(|id| id.as_str()).collect();
    assert_eq!(dependants, ["US-002", "US-003", "US-005"]);
    let report = project.call(&["report"]);
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    for id in dependants {
        assert!(run.stderr.contains(id), "{id}: {}", run.stderr);
        assert!(report.contains(id), "{id}: {report}");
    }
    assert_text(&run.stderr, contains("2 of 6 stories are done"));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
