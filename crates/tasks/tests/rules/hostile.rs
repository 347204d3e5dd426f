//! Hostile input.

use serde_json::json;
use tasks::inspect;

use crate::support::{list, problems, story};

fn problems_of(bytes: &[u8]) -> Vec<String> {
    inspect(bytes).problems.iter().map(ToString::to_string).collect()
}

#[test]
fn broken_json_is_located() {
    assert_eq!(
        problems_of(b"{\n  \"project\": }"),
        ["the file is not valid JSON: line 2, column 14: expected value"]
    );
    assert_eq!(
        problems_of(b""),
        ["the file is not valid JSON: line 1, column 0: EOF while parsing a value"]
    );
    assert_eq!(
        problems_of(b"{} {}"),
        ["the file is not valid JSON: line 1, column 4: trailing characters"]
    );
}

#[test]
fn invalid_utf8_is_located() {
    assert_eq!(
        problems_of(b"{\"project\": \"\xff\"}"),
        ["the file is not UTF-8 text: byte 13 is not part of a character"]
    );
}

#[test]
fn a_byte_order_mark_is_named() {
    let found = problems_of("\u{feff}{}".as_bytes());
    assert!(found[0].contains("byte order mark"), "{found:?}");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        let found = problems_of(deep.as_bytes());
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("nested more than 127 levels deep"), "{found:?}");
    }
}

#[test]
fn a_duplicate_key_is_a_problem() {
    let text = list([story("US-001")]).to_string();
    let twice = text.replacen(r#""passes":false"#, r#""passes":false,"passes":true"#, 1);
    assert_ne!(text, twice);
    assert_eq!(
        problems_of(twice.as_bytes()),
        ["story US-001: passes: expected the key once, found it 2 times in the same object"]
    );
    let twice = text.replacen(r#""userStories":"#, r#""userStories":[],"userStories":"#, 1);
    assert_eq!(
        problems_of(twice.as_bytes()),
        ["userStories: expected the key once, found it 2 times in the same object"]
    );
}

#[test]
fn control_characters_in_an_id_never_reach_the_message() {
    let mut nasty = story("x");
    nasty["id"] = json!("US\u{0}\u{1b}[2J\u{7}");
    let found = problems(&list([nasty]));
    assert_eq!(found.len(), 1);
    assert!(!found[0].chars().any(char::is_control), "{found:?}");
    assert!(found[0].contains(r"US\0\u{1b}[2J\u{7}"), "{found:?}");
}

#[test]
fn a_chain_of_ten_thousand_stories_is_walked_without_recursion() {
    let name = |n: usize| format!("S{n}");
    let stories = (0..10_000).map(|n| {
        let mut story = story(&name(n));
        story["dependsOn"] = json!([name((n + 1) % 10_000)]);
        story
    });
    let found = problems(&list(stories));
    assert_eq!(
        found,
        ["story S0: dependsOn: expected no cycle, found \
          S0 → S1 → … → S0 (10000 stories)"]
    );
}

#[test]
fn many_cycles_give_few_problems() {
    let names: Vec<String> = (0..300).map(|n| format!("S{n}")).collect();
    let stories = names.iter().map(|name| {
        let mut story = story(name);
        story["dependsOn"] = json!(names);
        story
    });
    let found = problems(&list(stories));
    assert_eq!(found.len(), 20, "{}", found.len());
    assert!(found.iter().all(|problem| problem.contains("expected no cycle")));
}

#[test]
fn the_number_of_problems_is_limited() {
    let mut broken = story("A");
    broken["acceptanceCriteria"] = json!(vec![0; 1_000_000]);
    let found = problems(&list([broken]));
    assert_eq!(found.len(), 1001);
    assert_eq!(found[1000], "and 999000 more problems");
}
