//! End-state invariants, row by row.

use serde_json::json;
use tasks::check_invariants;

use crate::support::{list, parsed, story_at};

const CAP: u64 = 5;

fn broken(passes: bool, status: Option<&str>, count: u64) -> Vec<String> {
    let list = parsed(&list([story_at("US-001", passes, status, count)]));
    check_invariants(&list, CAP, None).iter().map(ToString::to_string).collect()
}

#[test]
fn passes_means_approved_and_approved_means_passes() {
    let cases = [
        (false, None, None),
        (false, Some("needs_review"), None),
        (false, Some("changes_requested"), None),
        (false, Some("approved"), Some("out of sync")),
        (true, None, Some("reviewStatus is null, not approved")),
        (true, Some("needs_review"), Some("reviewStatus is \"needs_review\", not approved")),
        (true, Some("changes_requested"), Some("\"changes_requested\", not approved")),
        (true, Some("approved"), None),
    ];
    for (passes, status, expected) in cases {
        let found = broken(passes, status, 1);
        match expected {
            None => assert_eq!(found, Vec::<String>::new(), "{passes} {status:?}"),
            Some(part) => {
                assert_eq!(found.len(), 1, "{found:?}");
                assert!(found[0].starts_with("story US-001: "), "{found:?}");
                assert!(found[0].contains(part), "{found:?}");
            }
        }
    }
}

#[test]
fn requested_changes_need_feedback() {
    for empty in ["", " \n\t"] {
        let mut story = story_at("US-001", false, Some("changes_requested"), 1);
        story["reviewFeedback"] = json!(empty);
        let found = check_invariants(&parsed(&list([story])), CAP, None);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains("Feedback is required"), "{}", found[0]);
    }
}

#[test]
fn the_count_may_exceed_the_cap_by_one() {
    assert_eq!(broken(true, Some("approved"), CAP + 1), Vec::<String>::new());
    let found = broken(true, Some("approved"), CAP + 2);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("reviewCount is 7, above the review cap of 5"), "{found:?}");
    assert_eq!(broken(true, Some("approved"), u64::MAX).len(), 1);
}

#[test]
fn reviews_before_a_lowered_cap_are_allowed() {
    let at = |passes, status, count| parsed(&list([story_at("US-001", passes, status, count)]));
    let before = tasks::Snapshot::of(&at(false, Some("needs_review"), 4));
    let broken = |count| {
        let after = at(true, Some("approved"), count);
        check_invariants(&after, 1, Some(&before)).len()
    };
    assert_eq!((broken(4), broken(5), broken(6)), (0, 0, 1));
}
