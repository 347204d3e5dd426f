//! Which changes to the list are reverted, and when all of them are.

use serde_json::{Value, json};
use tasks::{Correction, Iteration, Mode};

use crate::support::{id, list, story, story_at};

const CAP: u64 = 3;

fn text(list: &Value) -> String {
    format!("{list:#}\n")
}

pub(crate) fn corrected(mode: Mode, before: &Value, after: &Value) -> (Value, Vec<String>) {
    let iteration = Iteration { mode, selected: Some(id("A")), review_cap: CAP };
    let Correction { text, undone } =
        tasks::correct(&self::text(before), self::text(after).as_bytes(), Some(&iteration));
    (serde_json::from_str(&text).unwrap(), undone.iter().map(ToString::to_string).collect())
}

#[test]
fn removed_stories_are_restored_in_place() {
    let stories = |ids: &str| list(ids.chars().map(|id| story(&id.to_string())));
    let cases = [
        ("ABCDE", "AE", "ABCDE"),
        ("ABCDE", "E", "ABCDE"),
        ("ABCDE", "EXA", "EXABCD"),
        ("ABC", "BXC", "ABXC"),
        ("ABC", "X", "ABCX"),
    ];
    for (old, new, standing) in cases {
        let (corrected, undone) = corrected(Mode::Implement, &stories(old), &stories(new));
        assert_eq!(corrected, stories(standing), "{old} {new}");
        let missing = old.chars().filter(|id| !new.contains(*id));
        let lines: Vec<String> =
            missing.map(|id| format!("story {id}: restored; it had been removed")).collect();
        assert_eq!(undone, lines);
    }
    let (corrected, _) = corrected(Mode::Implement, &stories("AB"), &stories(""));
    assert_eq!(corrected, stories("AB"), "all of them at once");
}

#[test]
fn removed_stories_are_restored_byte_for_byte() {
    let story = |id: &str| {
        story(id).to_string().replace("\"priority\":1", "\"priority\": 1.0, \"x\": \"\\u00e9\"")
    };
    let list = |stories: &str| {
        list([]).to_string().replace("\"userStories\":[]", &format!("\"userStories\": [{stories}]"))
    };
    let (a, b, c) = (story("A"), story("B"), story("C"));
    let iteration = Iteration { mode: Mode::Implement, selected: None, review_cap: CAP };
    let cases = [
        (
            format!("\n {a},\n {b},\n {c}\n"),
            format!("\n\t{a}\n"),
            format!("\n\t{a},\n\t{b},\n\t{c}\n"),
        ),
        (format!("\n {a},\n {b}\n"), "  ".into(), format!("\n {a},\n {b}\n")),
        (format!("{a}, {b}"), format!(" {b} "), format!(" {a}, {b} ")),
    ];
    for (before, after, standing) in cases {
        let correction = tasks::correct(&list(&before), list(&after).as_bytes(), Some(&iteration));
        assert_eq!(correction.text, list(&standing));
    }
}

#[test]
fn criteria_are_restored_together() {
    let with = |criteria: Value| {
        let mut story = story("A");
        story["acceptanceCriteria"] = criteria;
        list([story])
    };
    let before = with(json!(["one", "two", "three"]));
    let after = with(json!(["one", "Two", "four"]));
    let (standing, undone) = corrected(Mode::Implement, &before, &after);
    assert_eq!(standing, before);
    let line = "story A: acceptanceCriteria restored: 2 of 3 criteria dropped or reworded";
    assert_eq!(undone, [line]);
    let (standing, undone) =
        corrected(Mode::Implement, &before, &with(json!(["three", "two", "one", "four"])));
    assert_eq!(standing, before);
    assert_eq!(undone, ["story A: acceptanceCriteria restored: 1 criterion added"]);
}

#[test]
fn verify_commands_are_restored_or_removed() {
    let with = |commands: &str| {
        let text = text(&list([story("A")]));
        let (head, tail) = text.split_once("  \"verifyCommands\"").unwrap();
        let (old, end) = tail.split_once("\n  ]").unwrap();
        assert!(old.contains("cargo test") && end == "\n}\n", "it is the last field: {text}");
        match commands {
            "" => format!("{}\n}}\n", head.trim_end().strip_suffix(',').unwrap()),
            commands => format!("{head}  \"verifyCommands\": {commands}\n}}\n"),
        }
    };
    let iteration = Iteration { mode: Mode::Review, selected: None, review_cap: CAP };
    let correct = |old: &str, new: &str| {
        let correction = tasks::correct(&with(old), with(new).as_bytes(), Some(&iteration));
        assert_eq!(correction.text, with(old), "{old} {new}");
        correction.undone.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        correct(r#"[ "a",  "\u0062" ]"#, r#"["true"]"#),
        [r#"verifyCommands ["true"] → ["a", "b"]"#]
    );
    assert_eq!(correct(r#"["a"]"#, ""), [r#"verifyCommands [] → ["a"]"#]);
    assert_eq!(correct("", r#"["true"]"#), [r#"verifyCommands ["true"] → []"#]);
    assert_eq!(correct("null", r#"["true"]"#), [r#"verifyCommands ["true"] → []"#]);
    assert_eq!(
        correct(r#"[{"run": "a", "paths": ["b"]}]"#, r#"[{"run": "a", "paths": ["c"]}]"#),
        [r#"verifyCommands [{"run":"a","paths":["c"]}] → [{"run":"a","paths":["b"]}]"#]
    );
}

#[test]
fn verify_commands_are_restored_in_place() {
    let story = story("A");
    let with = |commands: &str| {
        format!(
            r#"{{"project": "", "branchName": "", {commands}"description": "", "userStories": [{story}]}}"#
        )
    };
    let iteration = Iteration { mode: Mode::Review, selected: None, review_cap: CAP };
    let commands = r#""verifyCommands": ["a"], "#;
    for (old, new) in [(commands, ""), ("", commands)] {
        let correction = tasks::correct(&with(old), with(new).as_bytes(), Some(&iteration));
        assert_eq!(correction.text, with(old));
    }
    let first = format!("{{\n{commands}{}", &with("")[1..]);
    let correction = tasks::correct(&with(""), first.as_bytes(), Some(&iteration));
    assert_eq!(correction.text, format!("{{ {}", &with("")[1..]));
    assert_eq!(correction.undone.len(), 1);
}

#[test]
fn an_invalid_list_is_restored_as_a_whole() {
    let before = text(&list([story("A")]));
    let mut broken = list([story("A"), story("B")]);
    broken["userStories"][0]["passes"] = json!("yes");
    let broken = text(&broken);
    let cases: [&[u8]; 5] = [b"", b"{", b"\xff", "\u{feff}{}".as_bytes(), broken.as_bytes()];
    let iteration = Iteration { mode: Mode::Implement, selected: None, review_cap: CAP };
    for after in cases {
        // Also if review is skipped.
        for iteration in [Some(&iteration), None] {
            let correction = tasks::correct(&before, after, iteration);
            assert_eq!(correction.text, before);
            let [line] = correction.undone.as_slice() else { panic!("{correction:?}") };
            assert!(line.starts_with("the whole task list is restored; it was invalid: "));
        }
    }
}

#[test]
fn many_problems_make_a_short_line() {
    let correction = tasks::correct(&text(&list([story("A")])), b"{\"userStories\": [1, 2]}", None);
    let line = correction.undone[0].to_string();
    assert_eq!(line.matches("expected").count(), 3, "{line}");
    assert!(line.ends_with("; and 2 more problems"), "{line}");
}

#[test]
fn without_review_any_valid_list_is_kept() {
    let before = text(&list([story("A"), story("B")]));
    let after = text(&list([story_at("A", true, None, 9)]));
    let correction = tasks::correct(&before, after.as_bytes(), None);
    assert_eq!(correction, Correction { text: after, undone: Vec::new() });
}

/// Only the checks decide then.
#[test]
fn without_review_the_checks_are_restored() {
    let with = |passes: bool, checks: &[&str]| {
        let mut list = list([story_at("A", passes, None, 0)]);
        list["verifyCommands"] = json!(checks);
        list
    };
    for (old, new) in [(&["a", "b"][..], &["a"][..]), (&["a"], &[]), (&[], &["b"])] {
        let (before, after) = (with(false, old), with(true, new));
        let correction = tasks::correct(&text(&before), text(&after).as_bytes(), None);
        let standing: Value = serde_json::from_str(&correction.text).unwrap();
        assert_eq!(standing, with(true, old));
        assert_eq!(correction.undone.len(), 1);
    }
}

#[test]
fn contradicting_changes_are_reverted_too() {
    let waiting = |id: &str, on: &str| {
        let mut story = story(id);
        story["dependsOn"] = json!([on]);
        story
    };
    // B is restored and depends on A, which was split and removed.
    let before = list([story("A"), waiting("B", "A")]);
    let mut part = story("A1");
    part["splitFrom"] = json!("A");
    part["acceptanceCriteria"] = before["userStories"][0]["acceptanceCriteria"].clone();
    let (standing, undone) = corrected(Mode::Implement, &before, &list([part]));
    assert_eq!(standing, before);
    assert_eq!(undone.len(), 2);
    assert_eq!(undone[0], "story B: restored; it had been removed");
    assert!(
        undone[1].starts_with(
            "all other changes to the task list; they contradict the restored values: story B: \
             dependsOn[0]: expected"
        ),
        "{undone:?}"
    );
}
