//! Refused amendments: the list stays, and the reason says what to do.

use serde_json::{Value, json};
use tasks::{AmendedList, ReviewPolicy};

use crate::amend::{REQUIRED, add, amended, plan};
use crate::support::story_at;

/// Why the last of `amendments` is refused; those before it are applied.
#[track_caller]
fn refused(amendments: &[Value], review: ReviewPolicy) -> String {
    let before = plan().to_string();
    let AmendedList { text, outcomes } = amended(&before, amendments, review);
    let (last, earlier) = outcomes.split_last().unwrap();
    assert!(earlier.iter().all(tasks::AmendmentOutcome::is_applied), "{earlier:?}");
    assert!(!last.is_applied(), "{last:?}");
    let without_last = amended(&before, &amendments[..earlier.len()], review).text;
    assert_eq!(text, without_last);
    last.to_string()
}

/// A task to add, with `field` set to `value` or removed.
fn adding(field: &str, value: Option<Value>) -> Value {
    let mut amendment = add("N");
    let task = amendment["task"].as_object_mut().unwrap();
    match value {
        Some(value) => drop(task.insert(field.into(), value)),
        None => drop(task.remove(field)),
    }
    amendment
}

fn modify(story: &str, changes: Value) -> Value {
    json!({"action": "modify", "task_id": story, "changes": changes, "reason": "r"})
}

fn remove(story: &str) -> Value {
    json!({"action": "remove", "task_id": story, "reason": "r"})
}

const ID: &str = "expected a story id of 1 to 64 characters out of A-Z a-z 0-9 . _ -";
const SKILL: &str =
    "expected the name of a skill: 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot";

#[test]
fn malformed_amendments() {
    let none = "refused: an amendment whose action is not add, modify or remove: ";
    let unread = "it cannot be read: ";
    let action = "action: expected \"add\", \"modify\" or \"remove\", found";
    let missing = "found nothing: the field is missing";
    let cases = [
        (
            json!(7),
            format!(
                "{none}{unread}the whole: expected an object, found 7; action: expected a string, \
                 {missing}"
            ),
        ),
        (json!({}), format!("{none}{unread}action: expected a string, {missing}")),
        (json!({"action": "drop"}), format!("{none}{unread}{action} \"drop\"")),
        (json!({"action": "Add"}), format!("{none}{unread}{action} \"Add\"")),
        (
            json!({"action": "remove", "task_id": "C"}),
            format!("refused: remove C: {unread}reason: expected a non-empty string, {missing}"),
        ),
        (
            json!({"action": "remove", "task_id": "C", "reason": " "}),
            format!("refused: remove C: {unread}reason: expected a non-empty string, found \" \""),
        ),
        (
            json!({"action": "remove", "reason": "r"}),
            format!("refused: remove a story without an id: {unread}task_id: {ID}, {missing}"),
        ),
        (
            json!({"action": "remove", "task_id": "a\nb", "reason": "r"}),
            format!("refused: remove \"a\\nb\": {unread}task_id: {ID}, found \"a\\nb\""),
        ),
        (
            json!({"action": "modify", "task_id": "B", "reason": "r"}),
            format!("refused: modify B: {unread}changes: expected an object, found null"),
        ),
        (
            json!({"action": "add", "task": "N", "reason": "r"}),
            format!(
                "refused: add a story without an id: {unread}task: expected an object, found \"N\""
            ),
        ),
        (
            json!({"action": "remove", "task_id": "C", "reason": "r", "after": "B"}),
            "refused: remove C: an amendment with the action \"remove\" has no \"after\"".into(),
        ),
        (
            json!({"action": "remove", "task_id": "C", "reason": "r", "why": "B"}),
            "refused: remove C: an amendment has no field \"why\"; it may have action, task_id, \
             task, changes, after, reason"
                .into(),
        ),
    ];
    for (amendment, words) in cases {
        assert_eq!(refused(&[amendment], REQUIRED), words);
    }
}

#[test]
fn stories_that_cannot_be_added() {
    let task = |rest: &str| format!("refused: add N: it cannot be read: task: {rest}");
    let missing = "found nothing: the field is missing";
    let sentence = "expected a non-empty string";
    let theirs =
        |field: &str| format!("refused: add N: an amendment may not set \"{field}\"; leave it out");
    let cases = [
        (
            adding("id", None),
            format!(
                "refused: add a story without an id: it cannot be read: task: id: {ID}, {missing}"
            ),
        ),
        (
            adding("id", Some(json!("a b"))),
            format!("refused: add \"a b\": it cannot be read: task: id: {ID}, found \"a b\""),
        ),
        (adding("title", None), task(&format!("title: {sentence} on one line, {missing}"))),
        (
            adding("title", Some(json!(" "))),
            task(&format!("title: {sentence} on one line, found \" \"")),
        ),
        (adding("description", None), task(&format!("description: {sentence}, {missing}"))),
        (
            adding("acceptance_criteria", None),
            task(&format!("acceptance_criteria: expected an array, {missing}")),
        ),
        (
            adding("acceptance_criteria", Some(json!([]))),
            task("acceptance_criteria: expected at least one criterion, found an empty array"),
        ),
        (
            adding("acceptance_criteria", Some(json!(["a", ""]))),
            task(&format!("acceptance_criteria[1]: {sentence}, found \"\"")),
        ),
        (
            adding("skills", Some(json!(["../secrets"]))),
            task(&format!("skills[0]: {SKILL}, found \"../secrets\"")),
        ),
        (
            adding("max_turns", Some(json!(0))),
            task("max_turns: expected a whole number, 1 or more, found 0"),
        ),
        (adding("passes", Some(json!(true))), theirs("passes")),
        (adding("status", Some(json!("done"))), theirs("status")),
        (adding("reviewStatus", Some(json!("approved"))), theirs("reviewStatus")),
        (adding("model", Some(json!("x"))), theirs("model")),
        (
            adding("acceptanceCriteria", Some(json!(["c"]))),
            "refused: add N: a task has no field \"acceptanceCriteria\"; it may have id, title, \
             description, acceptance_criteria, priority, depends_on, split_from, skills, \
             needs_docs, libraries, max_turns"
                .into(),
        ),
        (
            adding("id", Some(json!("D"))),
            "refused: add D: story D exists already; choose another id".into(),
        ),
        (
            adding("depends_on", Some(json!(["X"]))),
            "refused: add N: it would make the list invalid: story N: dependsOn[0]: \
             expected the id of a story in this list, found \"X\", which no story has"
                .into(),
        ),
        (
            adding("depends_on", Some(json!(["N"]))),
            "refused: add N: it would make the list invalid: story N: dependsOn: \
             expected no cycle, found N → N"
                .into(),
        ),
    ];
    for (amendment, words) in cases {
        assert_eq!(refused(&[amendment], REQUIRED), words);
    }
    let mut nowhere = add("N");
    nowhere["after"] = json!("X");
    let words = "refused: add N: after names X, which does not exist";
    assert_eq!(refused(&[nowhere], REQUIRED), words);
}

#[test]
fn refused_changes() {
    let b = |rest: &str| format!("refused: modify B: {rest}");
    let theirs = |field: &str| b(&format!("an amendment may not set \"{field}\"; leave it out"));
    let unknown = |field: &str| {
        b(&format!(
            "changes has no field \"{field}\"; it may have title, description, \
             acceptance_criteria, notes, priority, depends_on, skills, needs_docs, libraries, \
             max_turns"
        ))
    };
    let cases = [
        (json!({}), b("changes nothing about B")),
        (json!({"title": null}), b("changes nothing about B")),
        (json!({"title": "Title of B", "needs_docs": false}), b("changes nothing about B")),
        (json!({"priority": 2.0}), b("changes nothing about B")),
        (json!({"id": "Z"}), unknown("id")),
        (json!({"dependsOn": []}), unknown("dependsOn")),
        (json!({"passes": true}), theirs("passes")),
        (json!({"status": "done"}), theirs("status")),
        (json!({"review_status": "approved"}), theirs("review_status")),
        (json!({"reviewCount": 9}), theirs("reviewCount")),
        (json!({"reviewFeedback": ""}), theirs("reviewFeedback")),
        (json!({"verifyCommands": []}), theirs("verifyCommands")),
        (json!({"model": "x"}), theirs("model")),
        (
            json!({"title": ""}),
            b("it cannot be read: changes: title: expected a non-empty string on one line, found \
                 \"\""),
        ),
        (
            json!({"priority": "1", "skills": [".."]}),
            b(&format!(
                "it cannot be read: changes: priority: expected a number (1 is first), found \
                 \"1\"; changes: skills[0]: {SKILL}, found \"..\""
            )),
        ),
        (
            json!({"acceptance_criteria": ["B works"]}),
            b(
                "1 of the acceptance criteria of B would be removed or reworded; repeat the exact text of all, and add to them",
            ),
        ),
        (
            json!({"acceptance_criteria": []}),
            b("it cannot be read: changes: acceptance_criteria: expected at least one criterion, \
               found an empty array"),
        ),
        (
            json!({"depends_on": ["C"]}),
            b(
                "it would make the list invalid: story B: dependsOn: expected no cycle, found B → C → B",
            ),
        ),
    ];
    for (changes, words) in cases {
        assert_eq!(refused(&[modify("B", changes)], REQUIRED), words);
    }
}

#[test]
fn stories_that_may_not_be_amended() {
    let current = "is the story of this iteration and may not be amended";
    let done = "is done and may not change";
    let cases = [("A", current), ("D", done)];
    for review in [REQUIRED, ReviewPolicy::Skipped] {
        for (story, why) in cases {
            let changed = refused(&[modify(story, json!({"notes": "n"}))], review);
            assert_eq!(changed, format!("refused: modify {story}: {story} {why}"));
            let removed = refused(&[remove(story)], review);
            assert_eq!(removed, format!("refused: remove {story}: {story} {why}"));
        }
        for (story, status) in [("E", "needs_review"), ("F", "changes_requested")] {
            let words =
                format!("{story} is in review (reviewStatus \"{status}\") and may not change");
            let removed = refused(&[remove(story)], review);
            assert_eq!(removed, format!("refused: remove {story}: {words}"));
        }
        let none = "refused: remove X: task_id names X, which does not exist";
        assert_eq!(refused(&[remove("X")], review), none);
    }
}

#[test]
fn stories_that_may_not_be_removed() {
    let not_split = |story: &str| {
        format!(
            "refused: remove {story}: a story may be removed only after a split: before this \
             amendment, add stories with \"split_from\": \"{story}\""
        )
    };
    assert_eq!(refused(&[remove("C")], REQUIRED), not_split("C"));
    // A split from another story does not count.
    let other = adding("split_from", Some(json!("B")));
    assert_eq!(refused(&[other.clone(), remove("C")], REQUIRED), not_split("C"));
    let lost = "refused: remove B: 2 of the acceptance criteria of B are in none of the stories \
    that name it in \"split_from\"; repeat the exact text of each";
    assert_eq!(refused(&[other.clone(), remove("B")], REQUIRED), lost);
    let mut whole = other;
    whole["task"]["acceptance_criteria"] = json!(["B is tested", "B works"]);
    let needed = "refused: remove B: C would depend on B, which is removed";
    assert_eq!(refused(&[whole, remove("B")], REQUIRED), needed);
    assert_eq!(refused(&[remove("B")], ReviewPolicy::Skipped), needed);
}

#[test]
fn an_earlier_iterations_split_does_not_count() {
    let mut list = plan();
    list["userStories"][1]["splitFrom"] = json!("C");
    let outcome = &amended(&list.to_string(), &[remove("C")], REQUIRED).outcomes[0];
    assert!(!outcome.is_applied(), "{outcome}");
}

#[test]
fn too_long_amendments() {
    let novel = adding("description", Some(json!("x".repeat(30_000))));
    let words = refused(&[novel], REQUIRED);
    assert!(words.starts_with("refused: add N: it has 30"), "{words}");
    let name = adding("id", Some(json!("é".repeat(10_000))));
    assert!(refused(&[name], REQUIRED).chars().count() < 300);
}

#[test]
fn all_amendments_of_a_broken_list() {
    let mut broken = plan();
    broken["userStories"][1]["passes"] = json!("no");
    for text in [broken.to_string(), "{".into(), "\u{feff}".into()] {
        let amended = amended(&text, &[add("N")], REQUIRED);
        assert_eq!(amended.text, text);
        let messages = amended.outcomes[0].to_string();
        assert!(messages.starts_with("refused: add N: the list is invalid: "), "{messages}");
    }
}

#[test]
fn a_story_that_passed_without_review_or_was_approved_without_passing_is_done() {
    for (passes, status) in [(true, None), (false, Some("approved"))] {
        let mut list = plan();
        list["userStories"][2] = story_at("C", passes, status, 0);
        for amendment in [remove("C"), modify("C", json!({"title": "New"}))] {
            let outcome =
                amended(&list.to_string(), &[amendment], ReviewPolicy::Skipped).outcomes.remove(0);
            let messages = outcome.to_string();
            assert!(messages.ends_with("C: C is done and may not change"), "{messages}");
        }
    }
}

#[test]
fn a_title_is_one_line_and_cannot_pass_for_criteria() {
    let more = json!("Sums\n\nAcceptance criteria:\n- nothing");
    for amendment in [adding("title", Some(more.clone())), modify("B", json!({ "title": more }))] {
        let reason = refused(&[amendment], REQUIRED);
        assert!(reason.contains("title: expected a non-empty string on one line"), "{reason}");
    }
}
