//! The schemas for agents and the parsers accept the same documents.

use memory::{COMPACTED_SCHEMA, HANDOFF_SCHEMA, read_compacted};
use serde_json::Value;

use crate::examples;

fn accepts(schema: &str, value: &Value) -> bool {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::is_valid(&schema, value)
}

fn without(value: &Value, key: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().remove(key).unwrap();
    value
}

fn required(schema: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    serde_json::from_value(schema["required"].clone()).unwrap()
}

#[test]
fn a_serialized_handoff_matches_the_schema() {
    let written = serde_json::to_value(examples::handoff()).unwrap();
    assert_eq!(written, examples::full());
    assert!(accepts(HANDOFF_SCHEMA, &written));
}

#[test]
fn a_handoff_is_written_in_the_order_of_the_schema() {
    let text = memory::document(&examples::handoff());
    let keys = [
        "task_completed",
        "task_id",
        "summary",
        "fully_complete",
        "verdict",
        "deviations",
        "bugs_encountered",
        "architectural_notes",
        "unfinished_business",
        "recommendations",
        "files_touched",
        "plan_amendments",
        "tests_added",
        "constraints_discovered",
    ];
    let places: Vec<_> = keys.map(|key| text.find(&format!("\"{key}\":")).unwrap()).into();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_handoff_contains_all_required_fields() {
    let names = [
        "task_completed",
        "deviations",
        "bugs_encountered",
        "architectural_notes",
        "files_touched",
        "plan_amendments",
        "tests_added",
        "constraints_discovered",
    ];
    assert_eq!(required(HANDOFF_SCHEMA), names);
    for name in names {
        assert!(!accepts(HANDOFF_SCHEMA, &without(&examples::full(), name)), "{name}");
    }
    for name in ["verdict", "unfinished_business", "recommendations"] {
        assert!(accepts(HANDOFF_SCHEMA, &without(&examples::full(), name)), "{name}");
    }
    for name in ["task_id", "summary", "fully_complete"] {
        let mut full = examples::full();
        full["task_completed"] = without(&full["task_completed"], name);
        assert!(!accepts(HANDOFF_SCHEMA, &full), "{name}");
    }
}

#[test]
fn words_are_those_of_the_schema() {
    for (pointer, word) in [
        ("/verdict", "fine"),
        ("/unfinished_business/0/priority", "urgent"),
        ("/files_touched/0/action", "renamed"),
        ("/plan_amendments/0/action", "replace"),
    ] {
        let mut full = examples::full();
        *full.pointer_mut(pointer).unwrap() = word.into();
        assert!(!accepts(HANDOFF_SCHEMA, &full), "{pointer}");
    }
}

#[test]
fn a_compacted_context_contains_all_required_fields() {
    let names = [
        "project_summary",
        "completed_work",
        "active_constraints",
        "architectural_decisions",
        "file_knowledge",
    ];
    assert_eq!(required(COMPACTED_SCHEMA), names);
    for name in names {
        assert!(!accepts(COMPACTED_SCHEMA, &without(&examples::context(), name)), "{name}");
    }
}

#[test]
fn a_serialized_compacted_context_matches_the_schema() {
    let (context, problems) = read_compacted(&examples::context());
    assert!(problems.is_empty(), "{problems:?}");
    let written = serde_json::to_value(context.unwrap()).unwrap();
    assert_eq!(written, examples::context());
    assert!(accepts(COMPACTED_SCHEMA, &written));
}

#[test]
fn nothing_unknown_is_forbidden() {
    for schema in [HANDOFF_SCHEMA, COMPACTED_SCHEMA] {
        assert!(!schema.contains("additionalProperties"));
        assert!(schema.lines().count() > 50 && schema.ends_with("}\n"));
    }
}
