//! Preserving progress when a plan is replaced.

use serde_json::{Value, json};
use tasks::keep_progress;

use crate::support::{list, parsed, story, story_at};

fn kept(before: &Value, after: &Value) -> (Value, Vec<String>) {
    let before = serde_json::to_string_pretty(before).unwrap();
    let correction = keep_progress(&before, &serde_json::to_string_pretty(after).unwrap()).unwrap();
    let undone = correction.undone.iter().map(ToString::to_string).collect();
    (serde_json::from_str(&correction.text).unwrap(), undone)
}

fn begun() -> Value {
    list([
        story_at("US-001", true, Some("approved"), 1),
        story_at("US-002", false, Some("changes_requested"), 1),
        story("US-003"),
    ])
}

#[test]
fn a_plan_that_keeps_progress_is_unchanged() {
    let mut after = begun();
    after["userStories"][2] = story("US-004");
    after["description"] = json!("more");
    after["verifyCommands"] = json!(["make"]);
    let text = after.to_string();
    let correction = keep_progress(&begun().to_string(), &text).unwrap();
    assert_eq!((correction.text, correction.undone), (text, Vec::new()));
}

#[test]
fn every_field_of_a_story_with_progress_is_restored() {
    let mut after = begun();
    let story = after["userStories"][0].as_object_mut().unwrap();
    story.insert("title".into(), json!("another"));
    story.insert("acceptanceCriteria".into(), json!([]));
    story.insert("passes".into(), json!(false));
    story.insert("reviewStatus".into(), Value::Null);
    story.insert("model".into(), json!("mini"));
    story.remove("notes");
    after["userStories"][1]["reviewFeedback"] = json!("");
    let (kept, undone) = kept(&begun(), &after);
    assert_eq!(kept, begun());
    assert_eq!(undone.len(), 7, "{undone:?}");
    assert!(undone.contains(&"story US-001: passes false → true".to_owned()), "{undone:?}");
}

#[test]
fn stories_with_progress_are_restored_and_others_may_be_removed() {
    for left in [json!([]), json!([story("US-009")])] {
        let mut after = begun();
        after["userStories"] = left.clone();
        let (kept, undone) = kept(&begun(), &after);
        let ids: Vec<String> =
            parsed(&kept).stories.iter().map(|story| story.id.to_string()).collect();
        let mut expected = vec!["US-001", "US-002"];
        expected.extend(left.as_array().unwrap().iter().map(|_| "US-009"));
        assert_eq!(ids, expected);
        assert_eq!(undone.len(), 2, "{undone:?}");
    }
}

#[test]
fn no_story_is_planned_with_progress() {
    let mut after = begun();
    after["userStories"][2] = story_at("US-003", true, Some("approved"), 1);
    let another = story_at("US-004", true, Some("approved"), 1);
    after["userStories"].as_array_mut().unwrap().push(another);
    let (kept, undone) = kept(&begun(), &after);
    assert_eq!(kept["userStories"][2]["passes"], json!(false));
    assert_eq!(kept["userStories"][3]["reviewStatus"], Value::Null);
    assert_eq!(kept["userStories"][3]["reviewCount"], json!(0));
    assert_eq!(undone.len(), 6, "{undone:?}");
}

#[test]
fn the_branch_stays_if_there_is_progress() {
    let named = |list: &Value, name: &str| {
        let mut list = list.clone();
        list["branchName"] = json!(name);
        list
    };
    let (kept_list, undone) = kept(&begun(), &named(&begun(), "ralph/other"));
    assert_eq!(kept_list["branchName"], begun()["branchName"]);
    assert_eq!(undone, ["branchName \"ralph/other\" → \"ralph/demo\""]);
    let fresh = list([story("US-001")]);
    let (kept_list, undone) = kept(&fresh, &named(&fresh, "ralph/other"));
    assert_eq!((kept_list["branchName"].as_str(), undone.len()), (Some("ralph/other"), 0));
}

#[test]
fn invalid_lists_cannot_be_corrected() {
    for after in ["", "{}", "[]", r#"{"userStories": [{"id": "A"}, {"id": "A"}]}"#] {
        assert!(keep_progress(&begun().to_string(), after).is_err(), "{after}");
    }
}
