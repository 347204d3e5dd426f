//! Allowed and forbidden changes of each mode, row by row of the contract.

use serde_json::{Value, json};
use tasks::{Iteration, Mode, Snapshot, check_invariants, judge};

use crate::support::{id, list, parsed, story, story_at};

const CAP: u64 = 5;

fn iteration(mode: Mode) -> Iteration {
    Iteration { mode, selected: None, review_cap: CAP }
}

fn judged(mode: Mode, before: &Value, after: &Value) -> Vec<String> {
    judged_as(&iteration(mode), before, after)
}

fn judged_as(iteration: &Iteration, before: &Value, after: &Value) -> Vec<String> {
    let before = Snapshot::of(&parsed(before));
    judge(&before, &parsed(after), iteration).iter().map(ToString::to_string).collect()
}

/// `(passes, reviewStatus, reviewCount)` of the one story of a list.
type State = (bool, Option<&'static str>, u64);

fn one(state: State) -> Value {
    list([story_at("US-001", state.0, state.1, state.2)])
}

const NULL: Option<&str> = None;
const NEEDS: Option<&str> = Some("needs_review");
const CHANGES: Option<&str> = Some("changes_requested");
const APPROVED: Option<&str> = Some("approved");

/// The "allowed" column of the contract for one story.
fn is_allowed(mode: Mode, old: State, new: State) -> bool {
    let same_count = new.2 == old.2;
    let counted = new.2 == old.2 + 1;
    new == old
        || match mode {
            Mode::Implement => !new.0 && old.1 == NULL && new.1 == NEEDS && same_count && !old.0,
            Mode::ReviewFix => !new.0 && old.1 == CHANGES && new.1 == NEEDS && same_count && !old.0,
            Mode::Specify => false,
            Mode::Review => {
                old.1 == NEEDS
                    && counted
                    && ((new.0 && new.1 == APPROVED) || (!new.0 && new.1 == CHANGES))
            }
        }
}

#[test]
fn every_move_of_one_story_is_judged_as_the_table_says() {
    let mut moves = 0;
    for mode in Mode::ALL {
        for (old_passes, old_status) in
            [(false, NULL), (false, NEEDS), (false, CHANGES), (true, APPROVED)]
        {
            for new_passes in [false, true] {
                for new_status in [NULL, NEEDS, CHANGES, APPROVED] {
                    for new_count in 0..=4 {
                        let (old, new) =
                            ((old_passes, old_status, 2), (new_passes, new_status, new_count));
                        let after = one(new);
                        let mut found = judged(mode, &one(old), &after);
                        let broken = check_invariants(&parsed(&after), CAP, None);
                        found.extend(broken.iter().map(ToString::to_string));
                        let allowed = is_allowed(mode, old, new);
                        assert_eq!(
                            found.is_empty(),
                            allowed,
                            "{mode}: {old:?} → {new:?}: {found:#?}"
                        );
                        moves += 1;
                    }
                }
            }
        }
    }
    assert_eq!(moves, 4 * 4 * 2 * 4 * 5);
}

#[test]
fn messages_name_story_field_values_and_fix() {
    let cases: [(Mode, State, State, &str); 11] = [
        (
            Mode::Implement,
            (false, NULL, 0),
            (true, NULL, 0),
            "story US-001: passes false → true: implement iterations cannot set passes=true, only \
             a review may. Set it back to false and submit the story with reviewStatus \
             \"needs_review\".",
        ),
        (
            Mode::Implement,
            (false, NULL, 0),
            (false, APPROVED, 0),
            "story US-001: reviewStatus null → \"approved\": implement iterations cannot approve, \
             only a review may. Set it to \"needs_review\" when the work is ready for review, else \
             back to null.",
        ),
        (
            Mode::Implement,
            (false, NULL, 0),
            (false, NULL, 1),
            "story US-001: reviewCount 0 → 1: implement iterations cannot increment or change \
             reviewCount, only a review counts. Set it back to 0.",
        ),
        (
            Mode::Implement,
            (true, APPROVED, 1),
            (false, NULL, 1),
            "story US-001: passes true → false: implement iterations cannot reopen a story. Set it \
             back to true; if something broke, add a new story for it.",
        ),
        (
            Mode::Review,
            (false, NEEDS, 1),
            (true, APPROVED, 1),
            "story US-001: reviewStatus \"needs_review\" → \"approved\" with reviewCount still 1: \
             a review must increment reviewCount. Set it to 2.",
        ),
        (
            Mode::Review,
            (false, NEEDS, 1),
            (true, APPROVED, 3),
            "story US-001: reviewCount 1 → 3: a review raises reviewCount by exactly 1. Set it to \
             2.",
        ),
        (
            Mode::Review,
            (false, NEEDS, 1),
            (false, NEEDS, 2),
            "story US-001: reviewCount 1 → 2 with reviewStatus still \"needs_review\": a review \
             that counts needs a verdict. Set \"approved\" with passes true, or \
             \"changes_requested\" with reviewFeedback, or set reviewCount back to 1.",
        ),
        (
            Mode::Review,
            (false, NULL, 0),
            (true, APPROVED, 1),
            "story US-001: passes false → true: a review may only judge a story whose \
             reviewStatus is \
             \"needs_review\"; this one had null. Restore it.",
        ),
        (
            Mode::ReviewFix,
            (false, CHANGES, 1),
            (true, NEEDS, 1),
            "story US-001: passes false → true: review-fix iterations cannot set passes=true, only \
             a review may. Set it back to false and submit the story with reviewStatus \
             \"needs_review\".",
        ),
        (
            Mode::ReviewFix,
            (false, CHANGES, 1),
            (false, APPROVED, 1),
            "story US-001: reviewStatus \"changes_requested\" → \"approved\": review-fix \
             iterations cannot approve, only a review may. Set it to \"needs_review\" when the \
             work is ready for review, else back to \"changes_requested\".",
        ),
        (
            Mode::ReviewFix,
            (false, CHANGES, 1),
            (false, NEEDS, 2),
            "story US-001: reviewCount 1 → 2: review-fix iterations cannot increment or change \
             reviewCount, only a review counts. Set it back to 1.",
        ),
    ];
    for (mode, old, new, expected) in cases {
        let found = judged(mode, &one(old), &one(new));
        assert_eq!(found.first().map(String::as_str), Some(expected), "{mode}: {old:?} → {new:?}");
    }
}

#[test]
fn one_violation_is_one_finding() {
    let cases: [(Mode, State, State); 6] = [
        (Mode::Implement, (false, NULL, 0), (false, CHANGES, 0)),
        (Mode::Review, (false, NEEDS, 1), (false, NULL, 1)),
        (Mode::Review, (false, NEEDS, 1), (false, NEEDS, 3)),
        (Mode::Review, (false, NEEDS, 1), (false, NEEDS, 2)),
        (Mode::Review, (false, NEEDS, 1), (false, CHANGES, 1)),
        (Mode::ReviewFix, (false, CHANGES, 1), (false, NULL, 1)),
    ];
    for (mode, old, new) in cases {
        let found = judged(mode, &one(old), &one(new));
        assert_eq!(found.len(), 1, "{mode}: {old:?} → {new:?}: {found:#?}");
    }
}

#[test]
fn only_one_story_may_move() {
    let legal: [(Mode, State, State); 3] = [
        (Mode::Implement, (false, NULL, 0), (false, NEEDS, 0)),
        (Mode::Review, (false, NEEDS, 0), (true, APPROVED, 1)),
        (Mode::ReviewFix, (false, CHANGES, 1), (false, NEEDS, 1)),
    ];
    for (mode, old, new) in legal {
        let two = |state: State| list(["A", "B"].map(|id| story_at(id, state.0, state.1, state.2)));
        let found = judged(mode, &two(old), &two(new));
        assert_eq!(found.len(), 1, "{mode}: {found:?}");
        assert!(found[0].starts_with("story B: "), "{found:?}");
        assert!(
            found[0].contains(&format!(
                "{mode} iterations may only modify one story, and this one is about A"
            )),
            "{found:?}"
        );
    }
}

#[test]
fn the_one_story_is_the_selected_one_when_that_is_known() {
    let before = list([story("A"), story("B")]);
    let after = list([story("A"), story_at("B", false, NEEDS, 0)]);
    let selected = |id_: &str| Iteration { selected: Some(id(id_)), ..iteration(Mode::Implement) };
    assert_eq!(judged_as(&selected("B"), &before, &after), Vec::<String>::new());
    assert_eq!(
        judged_as(&selected("A"), &before, &after),
        ["story B: reviewStatus null → \"needs_review\": implement iterations may only modify \
             one story, and this one is about A. Restore B."]
    );
}

#[test]
fn a_legal_move_does_not_excuse_an_illegal_one_elsewhere() {
    let before = list([story("A"), story("B")]);
    let after = list([story_at("A", true, APPROVED, 1), story_at("B", false, NEEDS, 0)]);
    let found = judged(Mode::Implement, &before, &after);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found.iter().all(|violation| violation.starts_with("story A: ")), "{found:#?}");
}

/// The modes that may add stories.
const MAY_ADD: [Mode; 3] = [Mode::Implement, Mode::Review, Mode::ReviewFix];

#[test]
fn a_specify_iteration_changes_no_plan_and_its_new_stories_are_removed() {
    let before = list([story("A"), story("B")]);
    let mut part = story("A1");
    part["splitFrom"] = json!("A");
    part["acceptanceCriteria"] = json!(["A works", "A is tested"]);
    let cases = [
        (list([story("A"), story_at("NEW", true, APPROVED, 1), story("B")]), vec!["NEW"]),
        (
            list([story("N1"), story("N2"), story("A"), story("B"), story("N3")]),
            vec!["N1", "N2", "N3"],
        ),
        (list([story("N1"), story("N2")]), vec!["A", "B", "N1", "N2"]),
        (list([part, story("B")]), vec!["A1", "A"]),
    ];
    for (after, named) in cases {
        let mut found = judged(Mode::Specify, &before, &after);
        found.sort();
        assert_eq!(found.len(), named.len(), "{found:?}");
        for (line, id) in found.iter().zip(named) {
            assert!(line.starts_with(&format!("story {id}: ")), "{line}");
        }
        let iteration = iteration(Mode::Specify);
        let correction =
            tasks::correct(&before.to_string(), after.to_string().as_bytes(), Some(&iteration));
        let corrected: Value = serde_json::from_str(&correction.text).unwrap();
        assert_eq!(corrected, before, "{:?}", correction.undone);
    }
}

#[test]
fn only_the_user_says_proof_and_source_of_a_new_story_and_parts_inherit_them() {
    let url = "https://h/o/r/issues/1";
    for (field, value, other) in
        [("proof", "require", "off"), ("source", url, "https://h/o/r/issues/2")]
    {
        let mut whole = story("A");
        whole[field] = json!(value);
        let before = list([whole, story("B")]);
        let part = |value: Value| {
            let mut part = story("A1");
            part["splitFrom"] = json!("A");
            part["acceptanceCriteria"] = json!(["A works", "A is tested"]);
            part[field] = value;
            judged(Mode::Implement, &before, &list([part, story("B")]))
        };
        assert_eq!(part(json!(value)), Vec::<String>::new());
        for evasion in [json!(other), json!(null)] {
            let found = part(evasion);
            let expected = format!("story A1: {field}: only the user");
            assert!(found.len() == 1 && found[0].starts_with(&expected), "{found:?}");
        }
        let mut new = story("NEW");
        new[field] = json!(other);
        let before = list([story("B")]);
        assert_eq!(judged(Mode::Implement, &before, &list([story("B"), new])).len(), 1);
    }
}

#[test]
fn new_stories_have_the_initial_state_in_every_mode() {
    let before = list([story("A")]);
    for mode in MAY_ADD {
        assert_eq!(judged(mode, &before, &list([story("A"), story("NEW")])), Vec::<String>::new());
        let progressed = [(true, APPROVED, 1), (false, NEEDS, 0), (false, NULL, 1)];
        for (passes, status, count) in progressed {
            let after = list([story("A"), story_at("NEW", passes, status, count)]);
            let found = judged(mode, &before, &after);
            assert!(!found.is_empty(), "{mode} {passes} {status:?} {count}");
            assert!(
                found
                    .iter()
                    .all(|v| v.starts_with("story NEW: ") && v.contains("a new story starts with")),
                "{found:?}"
            );
        }
    }
}

#[test]
fn a_removed_story_must_have_been_split() {
    let before = list([story("A"), story("B")]);
    let part_of = |name: &str, from: &str| {
        let mut part = story(name);
        part["splitFrom"] = json!(from);
        part["acceptanceCriteria"] = json!(["A works", "A is tested", "more"]);
        part
    };
    for mode in MAY_ADD {
        let found = judged(mode, &before, &list([story("B")]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("story A: removed."), "{found:?}");

        let split = list([part_of("A1", "A"), part_of("A2", "A"), story("B")]);
        let offences = usize::from(mode == Mode::Review);
        assert_eq!(judged(mode, &before, &split).len(), offences, "{mode}: a review judges");
        assert_eq!(judged(mode, &before, &list([part_of("A1", "C"), story("B")])).len(), 1);
        let by_an_old_story = list([part_of("B", "A")]);
        let found = judged(mode, &before, &by_an_old_story);
        assert!(found.iter().any(|it| it.starts_with("story A: removed.")), "B is not new");
    }
}

#[test]
fn criteria_may_be_reordered_but_not_added_dropped_or_reworded() {
    let with = |criteria: Value| {
        let mut story = story("A");
        story["acceptanceCriteria"] = criteria;
        list([story])
    };
    let before = with(json!(["one", "two", "two"]));
    let cases = [
        (json!(["one", "two", "two"]), ""),
        (json!(["two", "one", "two"]), ""),
        (json!(["one", "two", "two", "three"]), "1 criterion added"),
        (json!(["one", "two", "two", "two", "one"]), "2 criteria added"),
        (json!(["one", "two"]), "1 of 3 criteria dropped or reworded"),
        (json!(["one", "Two", "two"]), "1 of 3 criteria dropped or reworded"),
        (json!(["something else"]), "3 of 3 criteria dropped or reworded"),
        (json!(["one", "two", "x", "y"]), "1 of 3 criteria dropped or reworded, 1 criterion added"),
    ];
    for (criteria, words) in cases {
        for mode in Mode::ALL {
            let found = judged(mode, &before, &with(criteria.clone()));
            if words.is_empty() {
                assert_eq!(found, Vec::<String>::new(), "{criteria}");
            } else {
                let line =
                    format!("story A: acceptanceCriteria: {words}. Restore their exact text. ");
                assert!(found.len() == 1 && found[0].starts_with(&line), "{found:?}");
            }
        }
    }
}

#[test]
fn verify_commands_belong_to_the_user() {
    let before = list([story("A")]);
    for commands in [json!([]), json!(["true"]), json!(["cargo test", "x"]), json!(null)] {
        let mut after = before.clone();
        after["verifyCommands"] = commands;
        let found = judged(Mode::Implement, &before, &after);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("verifyCommands [\"cargo test\"] → ["), "{found:?}");
    }
    let mut before = before;
    before["verifyCommands"] = json!([{"run": "npm test", "paths": ["web/**"], "timeout": "5m"}]);
    assert_eq!(judged(Mode::Implement, &before, &before), Vec::<String>::new());
    for check in [
        json!("npm test"),
        json!({"run": "npm test", "paths": ["web/*"], "timeout": "5m"}),
        json!({"run": "npm test", "paths": ["web/**", "!web/src/**"], "timeout": "5m"}),
        json!({"run": "npm test", "paths": ["web/**"], "timeout": "6m"}),
        json!({"run": "npm test", "paths": ["web/**"]}),
    ] {
        let mut after = before.clone();
        after["verifyCommands"] = json!([check]);
        let found = judged(Mode::Implement, &before, &after);
        let start =
            "verifyCommands [{\"run\":\"npm test\",\"paths\":[\"web/**\"],\"timeout\":\"5m\"}] → [";
        assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
    }
}

#[test]
fn at_the_cap_a_review_must_approve() {
    let at = |count: u64, cap: u64, status| {
        let iteration = Iteration { review_cap: cap, ..iteration(Mode::Review) };
        let passes = status == APPROVED;
        judged_as(&iteration, &one((false, NEEDS, count)), &one((passes, status, count + 1)))
    };
    assert_eq!(at(3, 5, CHANGES), Vec::<String>::new());
    let found = at(4, 5, CHANGES);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("at review 5 of 5: the review cap is reached"), "{found:?}");
    assert!(found[0].contains("[AUTO-APPROVED AT CAP]"), "{found:?}");
    assert_eq!(at(0, 1, CHANGES).len(), 1);
    assert_eq!(at(4, 5, APPROVED), Vec::<String>::new());
    assert_eq!(at(5, 5, APPROVED), Vec::<String>::new());
}

#[test]
fn a_fix_clears_the_feedback_it_answers() {
    let mut after = one((false, NEEDS, 1));
    after["userStories"][0]["reviewFeedback"] = json!("still here");
    let found = judged(Mode::ReviewFix, &one((false, CHANGES, 1)), &after);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("reviewFeedback is still \"still here\""), "{found:?}");
}

#[test]
fn repairing_an_earlier_inconsistency_is_legal_in_every_mode() {
    for mode in Mode::ALL {
        let repaired = judged(mode, &one((true, NULL, 0)), &one((false, NULL, 0)));
        assert_eq!(repaired, Vec::<String>::new());
        let repaired = judged(mode, &one((false, APPROVED, 1)), &one((false, NULL, 1)));
        assert_eq!(repaired, Vec::<String>::new());
        let not_a_repair = judged(mode, &one((true, NULL, 0)), &one((true, APPROVED, 0)));
        assert!(!not_a_repair.is_empty(), "{mode}");
    }
}

#[test]
fn unrecorded_fields_are_not_judged() {
    let mut seed_only = Snapshot::of(&parsed(&list([story("A")])));
    seed_only.criteria.clear();
    seed_only.verify_commands = None;
    let mut after = list([story("A")]);
    after["userStories"][0]["acceptanceCriteria"] = json!(["other"]);
    after["verifyCommands"] = json!([]);
    assert_eq!(judge(&seed_only, &parsed(&after), &iteration(Mode::Implement)), []);
}
