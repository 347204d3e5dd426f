//! Reading what an agent wrote.

use memory::{Handoff, read_handoff};
use serde_json::{Value, json};

use crate::examples::{self, whole};

/// The example with one value replaced.
fn with(pointer: &str, value: Value) -> Value {
    let mut full = examples::full();
    *full.pointer_mut(pointer).unwrap() = value;
    full
}

fn repaired(value: &Value) -> (Handoff, Vec<String>) {
    match read_handoff(value) {
        (Some(handoff), problems) if !problems.is_empty() => (handoff, problems),
        read => panic!("{read:?}"),
    }
}

fn problems_of(value: &Value) -> Vec<String> {
    repaired(value).1
}

fn why_unusable(value: &Value) -> Vec<String> {
    match read_handoff(value) {
        (None, problems) => problems,
        read => panic!("{read:?}"),
    }
}

#[test]
fn a_full_handoff_is_whole() {
    let handoff = examples::handoff();
    assert!(handoff.task_completed.fully_complete);
    assert_eq!(serde_json::to_value(&handoff).unwrap(), examples::full());
}

#[test]
fn optional_fields_may_be_missing() {
    let mut full = examples::full();
    let fields = full.as_object_mut().unwrap();
    fields.remove("unfinished_business");
    fields.remove("recommendations");
    whole(&full);
}

#[test]
fn unknown_fields_are_ignored() {
    let mut full = examples::full();
    full["mood"] = json!("good");
    full["bugs_encountered"][0]["severity"] = json!(3);
    assert_eq!(whole(&full), examples::handoff());
}

#[test]
fn only_a_summary_is_required() {
    let (handoff, problems) = repaired(&json!({ "task_completed": { "summary": "did it" } }));
    assert_eq!(handoff.task_completed.summary, "did it");
    assert_eq!(handoff.task_completed.task_id, "");
    assert!(!handoff.task_completed.fully_complete);
    assert_eq!(
        problems,
        [
            "task_completed.task_id: missing",
            "task_completed.fully_complete: missing",
            "deviations: missing",
            "bugs_encountered: missing",
            "architectural_notes: missing",
            "files_touched: missing",
            "plan_amendments: missing",
            "tests_added: missing",
            "constraints_discovered: missing",
        ]
    );
}

#[test]
fn without_a_summary_there_is_no_handoff() {
    for value in [json!(null), json!([]), json!("done"), json!(3)] {
        assert_eq!(why_unusable(&value).len(), 1, "{value}");
    }
    assert_eq!(why_unusable(&json!([])), ["expected an object, found a list"]);
    assert_eq!(why_unusable(&json!({})), ["task_completed: missing"]);
    assert_eq!(
        why_unusable(&with("/task_completed", json!("done"))),
        ["task_completed: expected an object, found \"done\""]
    );
    assert_eq!(
        why_unusable(&with("/task_completed/summary", json!(" \n"))),
        ["task_completed.summary: is empty"]
    );
    assert_eq!(
        why_unusable(&with("/task_completed/summary", json!(["a"]))),
        ["task_completed.summary: expected text, found a list"]
    );
}

#[test]
fn an_invalid_entry_is_omitted() {
    let (handoff, problems) = repaired(&with("/bugs_encountered/1/resolved", json!("yes")));
    assert_eq!(problems, ["bugs_encountered[1].resolved: expected true or false, found \"yes\""]);
    assert_eq!(handoff.bugs_encountered, examples::handoff().bugs_encountered[..1]);

    for (pointer, value, problem) in [
        ("/deviations/0", json!("x"), "deviations[0]: expected an object, found \"x\""),
        ("/deviations/0/planned", json!(1), "deviations[0].planned: expected text, found 1"),
        ("/deviations/0/actual", json!(""), "deviations[0].actual: is empty"),
        (
            "/unfinished_business/0/priority",
            json!("urgent"),
            "unfinished_business[0].priority: expected \"high\", \"medium\" or \"low\", found \"urgent\"",
        ),
        ("/files_touched/2/action", json!(null), "files_touched[2].action: missing"),
        (
            "/files_touched/2/action",
            json!("renamed"),
            "files_touched[2].action: expected \"created\", \"modified\" or \"deleted\", found \"renamed\"",
        ),
        (
            "/constraints_discovered/1/constraint",
            json!({}),
            "constraints_discovered[1].constraint: expected text, found an object",
        ),
        (
            "/plan_amendments/0",
            json!("add a story"),
            "plan_amendments[0]: expected an object, found \"add a story\"",
        ),
        ("/tests_added/0/file", json!(true), "tests_added[0].file: expected text, found true"),
        ("/architectural_notes/1", json!(7), "architectural_notes[1]: expected text, found 7"),
        ("/recommendations", json!({}), "recommendations: expected a list, found an object"),
    ] {
        let (handoff, problems) = repaired(&with(pointer, value));
        assert_eq!(problems, [problem]);
        let list = pointer.split('/').nth(1).unwrap();
        let left = serde_json::to_value(&handoff).unwrap()[list].as_array().unwrap().len();
        assert_eq!(left + 1, examples::full()[list].as_array().unwrap().len(), "{pointer}");
    }
}

#[test]
fn an_entry_without_its_explanation_is_still_worth_having() {
    for (pointer, problem) in [
        ("/deviations/0/reason", "deviations[0].reason: missing"),
        ("/bugs_encountered/1/resolution", "bugs_encountered[1].resolution: missing"),
        ("/unfinished_business/0/reason", "unfinished_business[0].reason: missing"),
        ("/constraints_discovered/0/impact", "constraints_discovered[0].impact: missing"),
        ("/tests_added/0/test_names", "tests_added[0].test_names: missing"),
    ] {
        let (handoff, problems) = repaired(&with(pointer, json!(null)));
        assert_eq!(problems, [problem]);
        let list = pointer.split('/').nth(1).unwrap();
        let left = serde_json::to_value(&handoff).unwrap()[list].as_array().unwrap().len();
        assert_eq!(left, examples::full()[list].as_array().unwrap().len(), "{pointer}");
    }
    let (handoff, problems) = repaired(&with("/constraints_discovered/0/workaround", json!(1)));
    assert_eq!(problems, ["constraints_discovered[0].workaround: expected text, found 1"]);
    assert_eq!(handoff.constraints_discovered[0].workaround, None);
}

#[test]
fn one_text_is_a_list_of_one() {
    let full = with("/architectural_notes", json!("a single note"));
    let handoff = whole(&full);
    assert_eq!(handoff.architectural_notes, ["a single note"]);
}

#[test]
fn blank_texts_in_a_list_are_ignored() {
    let full = with("/recommendations", json!(["", " ", "a"]));
    let handoff = whole(&full);
    assert_eq!(handoff.recommendations, ["a"]);
}

#[test]
fn words_are_read_in_any_case() {
    let full = with("/unfinished_business/0/priority", json!(" LOW"));
    assert_eq!(whole(&full), examples::handoff());
}

#[test]
fn lists_and_texts_have_an_end() {
    let (handoff, problems) = repaired(&with("/recommendations", json!(vec!["a"; 201])));
    assert_eq!(handoff.recommendations.len(), 200);
    assert_eq!(problems, ["recommendations: 201 entries; only the first 200 are kept"]);
    assert_eq!(
        whole(&with("/recommendations", json!(vec!["a"; 200]))),
        Handoff { recommendations: vec!["a".into(); 200], ..examples::handoff() }
    );

    let (handoff, problems) = repaired(&with("/task_completed/summary", json!("é".repeat(4_001))));
    assert_eq!(handoff.task_completed.summary, format!("{}…", "é".repeat(4_000)));
    assert_eq!(problems, ["task_completed.summary: longer than 4000 characters, so it was cut"]);
    let longest = with("/task_completed/summary", json!("é".repeat(4_000)));
    whole(&longest);
}

#[test]
fn an_amendment_has_an_end_too() {
    let large = json!({ "action": "add", "reason": "x".repeat(20_000) });
    let (handoff, problems) = repaired(&with("/plan_amendments/0", large));
    assert_eq!(handoff.plan_amendments, [Value::Null; 0]);
    assert_eq!(problems, ["plan_amendments[0]: larger than 16000 bytes, so it was left out"]);
}

#[test]
fn a_quoted_value_is_short_and_on_one_line() {
    let found = format!("a\n\u{1b}[2J{}", "b".repeat(9_000));
    let problems = problems_of(&with("/task_completed/fully_complete", json!(found)));
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.chars().count() < 120, "{problem}");
    assert!(!problem.contains(char::is_control), "{problem}");
}
