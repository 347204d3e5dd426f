//! Fields that sessions may not change: how violations are reported and restored.

use serde_json::{Value, json};
use tasks::{Correction, Iteration, Mode, Snapshot, StoryState, correct_without_session, judge};

use crate::correct::corrected;
use crate::support::{id, list, parsed, story, story_at};

const CAP: u64 = 3;

/// The violations of a session with story A in `mode`.
fn found(mode: Mode, before: &Value, after: &Value) -> Vec<String> {
    let iteration = Iteration { mode, selected: Some(id("A")), review_cap: CAP };
    let snapshot = Snapshot::of(&parsed(before));
    judge(&snapshot, &parsed(after), &iteration).iter().map(ToString::to_string).collect()
}

/// A list of A and B at the start of `mode` on A, and after a legal step.
fn step(mode: Mode) -> (Value, Value) {
    let (before, after) = match mode {
        Mode::Implement => (story("A"), story_at("A", false, Some("needs_review"), 0)),
        Mode::ReviewFix => (
            story_at("A", false, Some("changes_requested"), 1),
            story_at("A", false, Some("needs_review"), 1),
        ),
        Mode::Review => (
            story_at("A", false, Some("needs_review"), 1),
            story_at("A", false, Some("changes_requested"), 2),
        ),
        Mode::Specify => {
            let mut after = story("A");
            after["notes"] = json!("two tests");
            (story("A"), after)
        }
    };
    (list([before, story("B")]), list([after, story("B")]))
}

/// A field of the user, with a value that differs from the one in `story`.
fn fixed() -> Vec<(&'static str, Value)> {
    vec![
        ("title", json!("other")),
        ("description", json!("other")),
        ("priority", json!(7)),
        ("model", json!("gullible")),
        ("maxTurns", json!(1)),
        ("proof", json!("off")),
        ("source", json!("https://h/o/r/issues/1")),
        ("skills", json!(["lenient"])),
        ("needsDocs", json!(true)),
        ("libraries", json!(["one"])),
        ("splitFrom", json!("B")),
        ("x-unknown", json!({"a": 1})),
        ("odd\n## name", json!(null)),
    ]
}

#[test]
fn every_other_field_of_every_story_is_found_named_and_restored() {
    for mode in Mode::ALL {
        let (before, legal) = step(mode);
        assert_eq!(found(mode, &before, &legal), [""; 0], "{mode}");
        for (field, value) in fixed() {
            for (position, story) in ["A", "B"].into_iter().enumerate() {
                let mut after = legal.clone();
                after["userStories"][position][field] = value.clone();
                let lines = found(mode, &before, &after);
                let shown = if field.contains('\n') { r#""odd\n## name""# } else { field };
                assert_eq!(lines.len(), 1, "{mode} {field}: {lines:?}");
                assert!(lines[0].starts_with(&format!("story {story}: {shown}: ")), "{lines:?}");
                assert!(
                    lines[0].ends_with("Restore its old value.")
                        || lines[0].ends_with("Remove it.")
                );
                let (standing, undone) = corrected(mode, &before, &after);
                assert_eq!(standing, legal, "{mode} {field}");
                assert_eq!(undone.len(), 1, "{undone:?}");
                assert!(undone[0].starts_with(&format!("story {story}: {shown} ")), "{undone:?}");
            }
        }
    }
}

#[test]
fn messages_say_what_may_change_instead() {
    let (before, legal) = step(Mode::Implement);
    let with = |position: usize, field: &str, value: Value| {
        let mut after = legal.clone();
        after["userStories"][position][field] = value;
        found(Mode::Implement, &before, &after)
    };
    assert_eq!(
        with(0, "model", json!("m")),
        ["story A: model: added: an iteration may change only reviewStatus, reviewFeedback and \
             notes of its own story. Remove it."]
    );
    assert_eq!(
        with(1, "notes", json!("n")),
        ["story B: notes: added: an iteration may change only reviewStatus, reviewFeedback and \
             notes of its own story. Remove it."]
    );
    assert_eq!(
        with(0, "reviewFeedback", json!("approve it")),
        ["story A: reviewFeedback: added: a review writes feedback with its verdict, and a \
             resubmission clears it. Remove it."]
    );
    assert_eq!(
        with(1, "dependsOn", json!(["A"])),
        ["story B: dependsOn: added: it may change only after a split, from the old id to the \
             new ones. Remove it."]
    );
}

#[test]
fn notes_of_the_own_story_may_change_in_every_mode() {
    for mode in Mode::ALL {
        let (before, legal) = step(mode);
        for list in [&before, &legal] {
            let mut after = list.clone();
            after["userStories"][0]["notes"] = json!("anything\n```\n");
            assert_eq!(found(mode, &before, &after), [""; 0], "{mode}");
        }
    }
}

#[test]
fn feedback_changes_only_with_its_story() {
    let set = |list: &Value, position: usize, feedback: &str| {
        let mut list = list.clone();
        list["userStories"][position]["reviewFeedback"] = json!(feedback);
        list
    };
    for mode in Mode::ALL {
        let (before, legal) = step(mode);
        // Without a status change, and of another story.
        for (list, position) in [(&before, 0), (&legal, 1)] {
            let after = set(list, position, "planted");
            let lines = found(mode, &before, &after);
            assert_eq!(lines.len(), 1, "{mode}: {lines:?}");
            assert!(lines[0].contains(": reviewFeedback: "), "{lines:?}");
            let (standing, undone) = corrected(mode, &before, &after);
            assert_eq!(standing, *list, "{mode}");
            assert_eq!(undone.len(), 1, "{undone:?}");
        }
        // With a status change.
        let expected = usize::from(mode != Mode::Review);
        assert_eq!(found(mode, &before, &set(&legal, 0, "planted")).len(), expected, "{mode}");
    }
    // A submission may clear feedback of an earlier cycle.
    let before = list([story("A")]);
    let before = set(&before, 0, "old");
    let after = list([story_at("A", false, Some("needs_review"), 0)]);
    assert_eq!(found(Mode::Implement, &before, &after), [""; 0]);
    // A repair of the review state does not allow it either.
    let broken = list([story_at("A", true, None, 0)]);
    let mut repaired = broken.clone();
    repaired["userStories"][0]["passes"] = json!(false);
    assert_eq!(found(Mode::Implement, &broken, &repaired), [""; 0]);
    assert_eq!(found(Mode::Implement, &broken, &set(&repaired, 0, "planted")).len(), 1);
}

#[test]
fn only_the_user_changes_fields_of_the_list() {
    let before = list([story("A")]);
    for (field, value) in [
        ("branchName", json!("main")),
        ("project", json!("other")),
        ("description", json!("other")),
        ("x-unknown", json!([])),
    ] {
        for mode in Mode::ALL {
            let mut after = before.clone();
            after[field] = value.clone();
            let lines = found(mode, &before, &after);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].starts_with(&format!("task list: {field}: ")), "{lines:?}");
            let (standing, undone) = corrected(mode, &before, &after);
            assert_eq!((standing, undone.len()), (before.clone(), 1));
        }
    }
    let mut after = before.clone();
    after["branchName"] = json!("main");
    let (_, undone) = corrected(Mode::Implement, &before, &after);
    assert_eq!(undone, [r#"branchName "main" → "ralph/demo""#]);
}

#[test]
fn new_stories_set_neither_a_model_nor_feedback() {
    let before = list([story("A")]);
    let mut new = story("NEW");
    new["model"] = json!("gullible");
    new["reviewFeedback"] = json!("approve it");
    new["skills"] = json!(["testing"]);
    let after = list([story("A"), new.clone()]);
    assert_eq!(
        found(Mode::Implement, &before, &after),
        [
            "story NEW: model: only the user sets it. Remove it from the new story.",
            "story NEW: reviewFeedback: a new story has had no review. Set it to \"\".",
        ]
    );
    let (standing, undone) = corrected(Mode::Implement, &before, &after);
    new.as_object_mut().unwrap().remove("model");
    new["reviewFeedback"] = json!("");
    assert_eq!(standing, list([story("A"), new]));
    assert_eq!(
        undone,
        [r#"story NEW: reviewFeedback "approve it" → """#, r#"story NEW: model "gullible" → none"#]
    );
}

fn part(name: &str, from: &str, criteria: &[&str]) -> Value {
    let mut part = story(name);
    part["splitFrom"] = json!(from);
    part["acceptanceCriteria"] = json!(criteria);
    part
}

fn waiting(name: &str, on: &[&str]) -> Value {
    let mut story = story(name);
    story["dependsOn"] = json!(on);
    story
}

#[test]
fn a_split_carries_every_criterion() {
    let before = list([story("A"), story("B")]);
    let split = |parts: &[&[&str]]| {
        let parts = parts.iter().enumerate().map(|(n, it)| part(&format!("A{n}"), "A", it));
        list(parts.chain([story("B")]))
    };
    let both = ["A works", "A is tested"];
    for legal in [split(&[&both]), split(&[&both[..1], &both[1..]]), split(&[&both, &both])] {
        assert_eq!(found(Mode::Implement, &before, &legal), [""; 0]);
    }
    for (parts, missing) in
        [(split(&[&both[..1], &["A is tested."]]), 1), (split(&[&["a works", "x"]]), 2)]
    {
        let expected = format!(
            "story A: split, but {missing} of 2 criteria are in none of the new stories. Repeat \
             the exact text of each criterion in one of them."
        );
        assert_eq!(found(Mode::Implement, &before, &parts), [expected]);
        let (standing, undone) = corrected(Mode::Implement, &before, &parts);
        assert_eq!(undone, ["story A: restored; it had been removed"]);
        assert_eq!(standing["userStories"][0], story("A"));
    }
    // Criteria of other stories do not count.
    let mut elsewhere = split(&[&both[..1]]);
    elsewhere["userStories"].as_array_mut().unwrap().push(part("C", "B", &both));
    assert_eq!(found(Mode::Implement, &before, &elsewhere).len(), 1);
}

#[test]
fn dependants_of_a_split_story_depend_on_its_parts() {
    let both = ["A works", "A is tested"];
    let before = list([story("A"), story("X"), waiting("B", &["X", "A"])]);
    let after = |on: &[&str], criteria: &[&str]| {
        list([part("A1", "A", criteria), part("A2", "A", criteria), story("X"), waiting("B", on)])
    };
    for legal in [["A1", "A2", "X"].as_slice(), &["X", "A2", "A1"], &["A2", "X"]] {
        assert_eq!(found(Mode::Implement, &before, &after(legal, &both)), [""; 0], "{legal:?}");
    }
    for illegal in [["X"].as_slice(), &[], &["A1", "A2"]] {
        let lines = found(Mode::Implement, &before, &after(illegal, &both));
        assert_eq!(lines.len(), 1, "{illegal:?}");
        assert!(lines[0].starts_with("story B: dependsOn: "), "{lines:?}");
        // B is restored and depends on A, which is missing: all of it is restored.
        assert_eq!(corrected(Mode::Implement, &before, &after(illegal, &both)).0, before);
    }
    // An invalid split leaves B depending on A.
    let lost = after(&["A1", "A2", "X"], &both[..1]);
    assert_eq!(found(Mode::Implement, &before, &lost).len(), 2);
    let (standing, _) = corrected(Mode::Implement, &before, &lost);
    let standing = standing["userStories"].as_array().unwrap().clone();
    assert!(standing.contains(&story("A")) && standing.contains(&waiting("B", &["X", "A"])));
}

#[test]
fn a_part_may_keep_the_model_that_the_user_chose() {
    let mut whole = story("A");
    whole["model"] = json!("chosen");
    let mut kept = part("A1", "A", &["A works", "A is tested"]);
    kept["model"] = json!("chosen");
    let before = list([whole, story("B")]);
    assert_eq!(found(Mode::Implement, &before, &list([kept.clone(), story("B")])), [""; 0]);
    kept["splitFrom"] = json!("B");
    let lines = found(Mode::Implement, &before, &list([kept, story("B")]));
    assert!(lines.iter().any(|line| line.starts_with("story A1: model: ")), "{lines:?}");
}

#[test]
fn unrecorded_fields_are_not_compared() {
    let (before, _) = step(Mode::Implement);
    let full = Snapshot::of(&parsed(&before));
    // As in a marker with only the oldest fields.
    let bare = Snapshot { stories: full.stories, ..Snapshot::default() };
    assert_eq!(bare.stories[&id("A")], StoryState::FRESH);
    let mut after = before;
    for (field, value) in fixed() {
        after["userStories"][0][field] = value.clone();
    }
    after["branchName"] = json!("main");
    after["userStories"].as_array_mut().unwrap().push(part("A1", "C", &["x"]));
    after["userStories"][2]["model"] = json!("m");
    let iteration = Iteration { mode: Mode::Implement, selected: Some(id("A")), review_cap: CAP };
    assert_eq!(judge(&bare, &parsed(&after), &iteration), []);
}

#[test]
fn without_a_session_only_priorities_notes_and_new_stories_stay() {
    let before = list([story("A"), waiting("B", &["A"])]);
    let text = |list: &Value| format!("{list:#}\n");
    let correct = |after: &Value| {
        let Correction { text, undone } =
            correct_without_session(&text(&before), text(after).as_bytes(), CAP);
        let undone: Vec<String> = undone.iter().map(ToString::to_string).collect();
        (serde_json::from_str::<Value>(&text).unwrap(), undone)
    };
    let mut edited = before.clone();
    edited["userStories"][0]["priority"] = json!(9);
    edited["userStories"][1]["notes"] = json!("mind the gap");
    edited["userStories"].as_array_mut().unwrap().push(story("NEW"));
    assert_eq!(correct(&edited), (edited.clone(), vec![]));

    let mut more = edited.clone();
    more["branchName"] = json!("main");
    more["userStories"][0]["reviewStatus"] = json!("needs_review");
    more["userStories"][0]["title"] = json!("other");
    more["userStories"][1]["dependsOn"] = json!([]);
    more["userStories"][1]["reviewFeedback"] = json!("no");
    more["userStories"][1]["acceptanceCriteria"] = json!(["B works", "B is tested", "more"]);
    let (standing, undone) = correct(&more);
    assert_eq!(standing, edited);
    assert_eq!(
        undone,
        [
            r#"story A: reviewStatus "needs_review" → null"#,
            r#"story B: reviewFeedback "no" → """#,
            "story B: acceptanceCriteria restored: 1 criterion added",
            r#"branchName "main" → "ralph/demo""#,
            r#"story A: title "other" → "Title of A""#,
            "story B: dependsOn an empty array → an array of 1",
        ]
    );
}

#[test]
fn fields_are_restored_and_removed_at_any_position() {
    let text = |story: &str| {
        format!(
            r#"{{"project": "", "branchName": "", "description": "", "userStories": [{story}, {}]}}"#,
            self::story("B")
        )
    };
    let rest = r#""acceptanceCriteria": ["c"], "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": """#;
    let core = format!(r#""id": "A", "title": "t", "priority": 1, {rest}"#);
    let iteration = Iteration { mode: Mode::Implement, selected: Some(id("B")), review_cap: CAP };
    let cases = [
        // In front, adjacent, in between and at the end.
        (format!("{{{core}}}"), format!(r#"{{"x": 1, "model": "m" , "y": [2],{core}}}"#)),
        (format!("{{{core}}}"), format!(r#"{{{core}, "x": 1, "model": "m"}}"#)),
        (
            format!(r#"{{ "id": "A", "title": "t", "priority": 1, {rest} }}"#),
            format!(
                r#"{{ "x": 1, "id": "A", "y": 1, "z": 1, "title": "u", "priority": 1, {rest}, "q":1 }}"#
            ),
        ),
        (
            format!(
                r#"{{ "id": "A", "x": 1, "y": 2, "title": "t", "priority": 1, {rest}, "z": 3}}"#
            ),
            format!(r#"{{ "id": "A", "title": "t", "priority": 1, {rest}}}"#),
        ),
        (
            format!(r#"{{ "id": "A", "x": 1, "title": "t", "priority": 1, {rest}}}"#),
            format!(
                r#"{{ "q": 1, "id": "A", "w": 2, "title": "t", "priority": 1, {rest}, "v": 1}}"#
            ),
        ),
    ];
    for (old, new) in cases {
        let correction = tasks::correct(&text(&old), text(&new).as_bytes(), Some(&iteration));
        assert_eq!(correction.text, text(&old), "{new}");
        assert!(!correction.undone.is_empty());
    }
    // First before, and nothing left before it: it is restored at the end.
    let old = format!(r#"{{"x": 1, {core}}}"#);
    let correction = tasks::correct(
        &text(&old),
        text(&format!(r#"{{"w": 1, {core}, "v": 2}}"#)).as_bytes(),
        Some(&iteration),
    );
    assert_eq!(correction.text, text(&format!(r#"{{ {core}, "x": 1}}"#)));
    // A duplicate key cannot be fixed alone.
    let twice = format!(r#"{{"x": 1, {core}, "x": 1}}"#);
    let correction = tasks::correct(&text(&old), text(&twice).as_bytes(), Some(&iteration));
    assert_eq!(correction.text, text(&old));
}
