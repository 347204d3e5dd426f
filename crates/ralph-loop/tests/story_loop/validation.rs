//! Strictness of the checks: which ones block a story, which only warn, and which are not run.

use events::IterationStatus;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, fields, story};

/// Each kind with a guardrail of its own; those in `failing` fail.
fn guarded(failing: &[&str]) -> Project {
    let guardrails = ["test", "lint", "build", "other"].map(|kind| {
        let code = if failing.contains(&kind) { 3 } else { 0 };
        json!({"command": format!("echo 'error: {kind} is wrong'; exit {code}"), "kind": kind})
    });
    Project::with_checks([story("US-001")], ["true"]).settings(&json!({"guardrails": guardrails}))
}

#[track_caller]
fn validation(run: &Outcome<'_>, start: usize) -> Value {
    let text = std::fs::read_to_string(run.folder(start).join("validation.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Kind, outcome and whether it counts, of each.
fn results(validation: &Value) -> Vec<String> {
    let results = validation["results"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    results
        .map(|result| {
            let counts = if result["holdsUp"] == true { "!" } else { "" };
            format!("{} {}{counts}", word(&result["kind"]), word(&result["outcome"]))
        })
        .collect()
}

/// Whether the first step is accepted.
#[track_caller]
fn is_accepted(run: &Outcome<'_>) -> bool {
    let verdict = validation(run, 1)["verdict"].clone();
    let is_accepted = run.statuses()[0] == IterationStatus::Accepted;
    assert_eq!(verdict, if is_accepted { "passed" } else { "failed" }, "{}", run.stderr);
    is_accepted
}

#[test]
fn strict_is_held_up_by_every_kind() {
    assert!(is_accepted(&guarded(&[]).run(["-n", "1"])));
    for kind in ["test", "lint", "build", "other"] {
        assert!(!is_accepted(&guarded(&[kind]).run(["-n", "1"])), "{kind}");
    }
}

#[test]
fn lenient_is_held_up_by_all_but_linters() {
    for (kind, expected) in [("test", false), ("lint", true), ("build", false), ("other", false)] {
        let project = guarded(&[kind]);
        let run = project.run(["-n", "1", "--validation", "lenient"]);
        assert_eq!(is_accepted(&run), expected, "{kind}");
    }
}

#[test]
fn tests_only_runs_nothing_else() {
    let project = guarded(&["lint", "build", "other"]);
    let run = project.run(["-n", "1", "--validation", "tests-only"]);
    assert!(is_accepted(&run));
    let validation = validation(&run, 1);
    assert_eq!(validation["strategy"], "testsOnly");
    let expected =
        ["test passed!", "test passed!", "lint skipped", "build skipped", "other skipped"];
    assert_eq!(results(&validation), expected);
    assert!(!is_accepted(&guarded(&["test"]).run(["-n", "1", "--validation", "tests-only"])));
}

#[test]
fn the_result_of_each_check_is_recorded() {
    let project = guarded(&["lint"]);
    let run = project.run(["-n", "1", "--validation", "lenient"]);
    let validation = validation(&run, 1);
    assert_eq!(validation["strategy"], "lenient");
    assert_eq!(validation["tree"].as_str().unwrap().len(), 40);
    let expected =
        ["test passed!", "test passed!", "lint failed", "build passed!", "other passed!"];
    assert_eq!(results(&validation), expected);
    let [passed, failed] = [&validation["results"][1], &validation["results"][2]];
    assert_eq!((&passed["exitCode"], &passed["error"]), (&json!(0), &Value::Null));
    assert_eq!(failed["exitCode"], 3);
    assert_eq!(failed["error"], "error: lint is wrong");
    assert!(failed["seconds"].as_f64().unwrap() >= 0.0);
    let log = project.read(failed["log"].as_str().unwrap());
    assert_eq!(log.trim_end(), "error: lint is wrong");
}

#[test]
fn the_next_prompt_has_the_beginning_and_the_end_of_a_long_output() {
    let check = "test -f good.txt || { seq -f 'line %04.0f' 1 900; exit 1; }";
    let second = When::mode(Mode::Implement).visit(2);
    let acts = [Act::write("good.txt", "x"), Act::submit("now"), Act::commit("feat: really")];
    let lint = json!({"command": "echo 'lint: no'; exit 1", "kind": "lint"});
    let settings =
        json!({"guardrails": [lint], "validation": "lenient", "outputTruncateChars": 200});
    let project = Project::with_checks([story("US-001")], [check])
        .scenario(Scenario::new().rule(second, acts))
        .settings(&settings);
    let run = project.run(["-n", "2"]);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed, IterationStatus::Accepted]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    let prompt = run.prompt(2);
    assert!(prompt.contains("It was not accepted"), "{prompt}");
    for (line, expected) in [("0001", true), ("0400", false), ("0900", true)] {
        assert_eq!(prompt.contains(&format!("line {line}")), expected, "{line}: {prompt}");
    }
    assert!(prompt.contains("lint: no"), "{prompt}");
    let error = validation(&run, 1)["results"][0]["error"].clone();
    assert!(error.as_str().is_some_and(|error| !error.contains('\n')), "{error}");
}

#[test]
fn no_checks_at_all_are_no_verdict() {
    let run = Project::new([story("US-001")]);
    let run = run.run(["-n", "1", "--validation", "tests-only"]);
    let validation = validation(&run, 1);
    assert_eq!((&validation["verdict"], &validation["results"]), (&json!("none"), &json!([])));
}
