//! Forbidden changes of review fields, rule by rule, and allowed ones beside them.

use serde_json::{Value, json};
use tasks::Mode;

use crate::correct::corrected;
use crate::support::{list, story};

type State = (bool, Option<&'static str>, u64, &'static str);

fn at(mut story: Value, (passes, status, count, feedback): State) -> Value {
    story["passes"] = json!(passes);
    story["reviewStatus"] = json!(status);
    story["reviewCount"] = json!(count);
    story["reviewFeedback"] = json!(feedback);
    story
}

fn noted(id: &str) -> Value {
    let mut story = story(id);
    story["notes"] = json!("written");
    story
}

const NULL: Option<&str> = None;
const NEEDS: Option<&str> = Some("needs_review");
const CHANGES: Option<&str> = Some("changes_requested");
const APPROVED: Option<&str> = Some("approved");

#[test]
fn every_illegal_review_change_is_reverted() {
    let cases: [(&str, Mode, State, State, &[&str]); 12] = [
        (
            "moved: passes and status",
            Mode::Implement,
            (false, NULL, 0, ""),
            (true, APPROVED, 0, ""),
            &["passes true → false", "reviewStatus \"approved\" → null"],
        ),
        (
            "moved: count",
            Mode::ReviewFix,
            (false, CHANGES, 1, "no"),
            (false, NEEDS, 0, ""),
            &[
                "reviewStatus \"needs_review\" → \"changes_requested\"",
                "reviewCount 0 → 1",
                "reviewFeedback \"\" → \"no\"",
            ],
        ),
        (
            "not awaiting review",
            Mode::Review,
            (false, NULL, 0, ""),
            (true, APPROVED, 1, ""),
            &["passes true → false", "reviewStatus \"approved\" → null", "reviewCount 1 → 0"],
        ),
        (
            "verdict not counted",
            Mode::Review,
            (false, NEEDS, 1, ""),
            (false, CHANGES, 1, "fix it"),
            &[
                "reviewStatus \"changes_requested\" → \"needs_review\"",
                "reviewFeedback \"fix it\" → \"\"",
            ],
        ),
        (
            "counted without verdict",
            Mode::Review,
            (false, NEEDS, 1, ""),
            (false, NEEDS, 2, ""),
            &["reviewCount 2 → 1"],
        ),
        (
            "changes requested at the cap",
            Mode::Review,
            (false, NEEDS, 2, ""),
            (false, CHANGES, 3, "more"),
            &[
                "reviewStatus \"changes_requested\" → \"needs_review\"",
                "reviewCount 3 → 2",
                "reviewFeedback \"more\" → \"\"",
            ],
        ),
        (
            "feedback not cleared",
            Mode::ReviewFix,
            (false, CHANGES, 1, "no"),
            (false, NEEDS, 1, "no"),
            &["reviewStatus \"needs_review\" → \"changes_requested\""],
        ),
        (
            "invariant: passes unapproved",
            Mode::Review,
            (false, NEEDS, 1, ""),
            (true, CHANGES, 2, "no"),
            &[
                "passes true → false",
                "reviewStatus \"changes_requested\" → \"needs_review\"",
                "reviewCount 2 → 1",
                "reviewFeedback \"no\" → \"\"",
            ],
        ),
        (
            "invariant: approved without passes",
            Mode::Review,
            (false, NEEDS, 1, ""),
            (false, APPROVED, 2, ""),
            &["reviewStatus \"approved\" → \"needs_review\"", "reviewCount 2 → 1"],
        ),
        (
            "invariant: feedback missing",
            Mode::Review,
            (false, NEEDS, 1, ""),
            (false, CHANGES, 2, " "),
            &[
                "reviewStatus \"changes_requested\" → \"needs_review\"",
                "reviewCount 2 → 1",
                "reviewFeedback \" \" → \"\"",
            ],
        ),
        (
            "invariant: feedback missing, nothing else moved",
            Mode::Implement,
            (false, CHANGES, 1, "no"),
            (false, CHANGES, 1, ""),
            &["reviewFeedback \"\" → \"no\""],
        ),
        (
            "invariant: count above cap",
            Mode::Review,
            (true, APPROVED, 1, ""),
            (true, APPROVED, 9, ""),
            &["reviewCount 9 → 1"],
        ),
    ];
    for (name, mode, old, new, lines) in cases {
        let before = list([at(noted("A"), old), story("B")]);
        let mut after = list([at(noted("A"), new), story("B")]);
        after["userStories"].as_array_mut().unwrap().push(noted("THIS-STAYS"));
        let (standing, undone) = corrected(mode, &before, &after);
        let lines: Vec<String> = lines.iter().map(|line| format!("story A: {line}")).collect();
        assert_eq!(undone, lines, "{name}");
        after["userStories"][0] = at(noted("A"), old);
        assert_eq!(standing, after, "{name}");
    }
}

#[test]
fn another_story_is_restored_and_the_selected_one_stays() {
    let before = list([story("A"), story("B")]);
    let after =
        list([at(noted("A"), (false, NEEDS, 0, "")), at(noted("B"), (false, NEEDS, 0, ""))]);
    let (standing, undone) = corrected(Mode::Implement, &before, &after);
    let notes = r#"story B: notes "written" → """#;
    assert_eq!(undone, ["story B: reviewStatus \"needs_review\" → null", notes]);
    assert_eq!(standing, list([at(noted("A"), (false, NEEDS, 0, "")), story("B")]));
}

#[test]
fn a_new_story_gets_the_initial_state() {
    let before = list([story("A")]);
    let after = list([story("A"), at(noted("NEW"), (true, APPROVED, 1, "fine")), story("NEW2")]);
    let (standing, undone) = corrected(Mode::Implement, &before, &after);
    assert_eq!(
        undone,
        [
            "story NEW: passes true → false",
            "story NEW: reviewStatus \"approved\" → null",
            "story NEW: reviewCount 1 → 0",
            "story NEW: reviewFeedback \"fine\" → \"\"",
        ]
    );
    assert_eq!(standing, list([story("A"), noted("NEW"), story("NEW2")]));
}

#[test]
fn earlier_inconsistencies_are_not_reported() {
    // Out of sync, without feedback, and with more reviews than the current cap.
    let states: [State; 4] = [
        (true, NEEDS, 1, ""),
        (false, APPROVED, 1, ""),
        (false, CHANGES, 1, ""),
        (true, APPROVED, 9, ""),
    ];
    for state in states {
        let before = list([story("A"), at(noted("B"), state)]);
        let submitted = at(noted("A"), (false, NEEDS, 0, ""));
        let after = list([submitted.clone(), at(noted("B"), state)]);
        let standing = corrected(Mode::Implement, &before, &after);
        assert_eq!(standing, (after, vec![]), "{state:?}");
        // If it is changed anyway, it is restored.
        let after = list([submitted, at(noted("B"), (true, APPROVED, 4, ""))]);
        let (standing, undone) = corrected(Mode::Implement, &before, &after);
        assert_eq!(standing["userStories"][1], at(noted("B"), state), "{state:?}");
        assert!(!undone.is_empty());
    }
    let repaired = list([story("A"), at(noted("B"), (false, NEEDS, 1, ""))]);
    let before = list([story("A"), at(noted("B"), (true, NEEDS, 1, ""))]);
    assert_eq!(corrected(Mode::Implement, &before, &repaired), (repaired.clone(), vec![]));
}
