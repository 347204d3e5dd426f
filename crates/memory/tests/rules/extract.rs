//! Finding the object in an agent's last message.

use memory::{closing_json, extract_json};
use serde_json::{Value, json};

fn found(text: &str) -> Option<Value> {
    extract_json(text, "key")
}

fn key(text: &str) -> Option<i64> {
    found(text).map(|value| value["key"].as_i64().unwrap())
}

#[test]
fn the_whole_text() {
    assert_eq!(found(r#"{"key": {"a": [1, "}"]}}"#), Some(json!({"key": {"a": [1, "}"]}})));
    assert_eq!(key("\u{feff}  {\"key\": 1}\r\n"), Some(1));
    assert_eq!(key("{\r\n\t\"key\": 1\r\n}"), Some(1));
}

#[test]
fn the_last_fenced_block_that_has_it() {
    let text = "First:\n```json\n{\"key\": 1}\n```\nthen\n```json\n{\"key\": 2}\n```\nand\n```json\n{\"other\": 3}\n```\n";
    assert_eq!(key(text), Some(2));
    assert_eq!(key(&text.replace('\n', "\r\n")), Some(2));
    assert_eq!(key(&text.replace("```json", "```")), Some(2));
    assert_eq!(key(&text.replace("```", "~~~")), Some(2));
    assert_eq!(key(&text.replace("```", "`````")), Some(2));
    assert_eq!(key(&text.replace('\n', "\n   ")), Some(2));
}

#[test]
fn a_fence_takes_precedence_over_other_text() {
    assert_eq!(key("```json\n{\"key\": 1}\n```\nnot {\"key\": 2}"), Some(1));
}

#[test]
fn an_unclosed_fence() {
    assert_eq!(key("here:\n```json\n{\"key\": 1}"), Some(1));
}

#[test]
fn a_fence_ends_with_its_own_kind() {
    assert_eq!(key("~~~\n{\"key\": 1}\n~~~\nnot {\"key\": 2}"), Some(1));
    assert_eq!(key("~~~\n```\n{\"key\": 1}\n~~~\n"), Some(1));
    assert_eq!(key("````\n{\"key\":\n```\n1}\n````"), None);
}

#[test]
fn the_last_object_in_prose() {
    assert_eq!(key("first {\"key\": 1}, then {\"key\": 2}, and {\"other\": 3}."), Some(2));
    assert_eq!(key("use { and } with care: {\"key\": 1} {"), Some(1));
    assert_eq!(key("a stray \" before {\"key\": 1}"), Some(1));
    let brackets = "{ a ".repeat(2_000);
    assert_eq!(key(&format!("{{\"key\": 1}} {brackets} \"key\"")), Some(1));
}

#[test]
fn an_object_inside_another() {
    let text = "done: {\"result\": {\"key\": 1, \"list\": [{\"a\": {}}]}, \"cost\": 2}";
    assert_eq!(found(text), Some(json!({"key": 1, "list": [{"a": {}}]})));
}

#[test]
fn commas_before_a_closing_bracket_are_forgiven() {
    assert_eq!(found("{\"key\": [1, 2,], }"), Some(json!({"key": [1, 2]})));
    assert_eq!(found("```\n{\"key\": {\"a\": 1,\n}\n,}\n```"), Some(json!({"key": {"a": 1}})));
    assert_eq!(found("so {\"key\": \",}\",}"), Some(json!({"key": ",}"})));
    assert_eq!(found("{\"key\": 1,,}"), None);
}

#[test]
fn a_missing_object_is_not_found() {
    for text in [
        "",
        "key",
        "\"key\"",
        "{\"other\": 1}",
        "{\"key\": 1",
        "[{\"other\": \"key\"}]",
        "{key: 1}",
        "{\"key\": 1 // why\n}",
        "{\"a\": \"\\\"key\\\": 1\"}",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn text_in_strings_is_only_text() {
    assert_eq!(
        found("x {\"key\": \"a { b \\\" } ``` ü\"} y"),
        Some(json!({"key": "a { b \" } ``` ü"}))
    );
}

/// Long enough that quadratic time is noticed.
#[test]
fn long_messages_end_soon() {
    for shape in [
        "{",
        "{\"key\":",
        "{\"key\":[",
        "{\"key\":\"",
        "{\"key",
        "{ ",
        "{\"a\":1,",
        "```\n{\"key\":1\n",
        "\\",
        "{\"key\":{},}",
    ] {
        let text = shape.repeat(500_000 / shape.len());
        found(&format!("{text}\"key\""));
        found(&format!("\"key\" {text}"));
    }
    let text = "{".repeat(500_000);
    assert_eq!(key(&format!("{text} {{\"key\": 1}} {text}")), Some(1));
}

#[test]
fn an_object_that_ends_the_text() {
    let ends = |text: &str| closing_json(text, "key").map(|value| value["key"].as_i64().unwrap());
    assert_eq!(ends("{\"key\": 1}"), Some(1));
    assert_eq!(ends("so:\n```json\n{\"key\": 1, \"inner\": {\"a\": 2},}\n```\n\n"), Some(1));
    assert_eq!(ends("```\n{\"key\": 1}\n```\nrather {\"key\": 2}\n"), Some(2));
    for taken_back in [
        "{\"key\": 1} was printed by a test",
        "```json\n{\"key\": 1}\n```\nI did not say that.",
        "{\"key\": 1}\n{\"other\": 2}",
        "{\"key\": 1} \"key\"",
        "",
    ] {
        assert_eq!(ends(taken_back), None, "{taken_back}");
    }
}
