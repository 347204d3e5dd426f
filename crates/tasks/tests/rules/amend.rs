//! Applied amendments: the resulting list, byte for byte.

use serde_json::{Value, json};
use tasks::{AmendedList, AmendmentRules, ReviewPolicy, Selection, amend, select};

use crate::support::{id, list, parsed, story, story_at};

pub(crate) const REQUIRED: ReviewPolicy = ReviewPolicy::Required { cap: 3 };

/// The plan of every table: A is in progress, B and C are open, D is done, E and F are in review.
pub(crate) fn plan() -> Value {
    let mut stories = vec![
        story("A"),
        story("B"),
        story("C"),
        story_at("D", true, Some("approved"), 1),
        story_at("E", false, Some("needs_review"), 0),
        story_at("F", false, Some("changes_requested"), 1),
    ];
    for (n, story) in stories.iter_mut().enumerate() {
        story["priority"] = json!(n + 1);
    }
    stories[2]["dependsOn"] = json!(["B"]);
    list(stories)
}

pub(crate) fn amended(text: &str, amendments: &[Value], review: ReviewPolicy) -> AmendedList {
    amend(text, amendments, &AmendmentRules { current: &id("A"), review })
}

/// The amended list and the messages of the outcomes.
fn results(amendments: Value, review: ReviewPolicy) -> (Value, Vec<String>) {
    let AmendedList { text, outcomes } =
        amended(&plan().to_string(), amendments.as_array().unwrap(), review);
    let list: Value = serde_json::from_str(&text).unwrap();
    parsed(&list);
    (list, outcomes.iter().map(ToString::to_string).collect())
}

fn ids(list: &Value) -> String {
    let stories = list["userStories"].as_array().unwrap().iter();
    stories.map(|story| story["id"].as_str().unwrap()).collect()
}

pub(crate) fn add(id: &str) -> Value {
    let task = json!({"id": id, "title": "T", "description": "D", "acceptance_criteria": ["c"]});
    json!({"action": "add", "task": task, "reason": "needed"})
}

fn modify(story: &str, changes: Value) -> Value {
    json!({"action": "modify", "task_id": story, "changes": changes, "reason": "better"})
}

fn remove(story: &str) -> Value {
    json!({"action": "remove", "task_id": story, "reason": "gone"})
}

fn with(mut amendment: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    amendment.pointer_mut(parent).unwrap()[key] = value;
    amendment
}

#[test]
fn a_story_is_added_with_all_fields_in_the_initial_state() {
    let mut amendment = add("N");
    let more = json!({"depends_on": ["A"], "skills": ["testing"], "needs_docs": true,
        "libraries": ["serde"], "max_turns": 7, "split_from": "B", "priority": null});
    amendment["task"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (list, messages) = results(json!([amendment]), REQUIRED);
    assert_eq!(messages, ["story N added at the end: needed"]);
    let expected = json!({"id": "N", "title": "T", "description": "D", "acceptanceCriteria": ["c"],
        "priority": 6, "passes": false, "reviewStatus": null, "reviewCount": 0,
        "reviewFeedback": "", "notes": "", "dependsOn": ["A"], "splitFrom": "B",
        "skills": ["testing"], "needsDocs": true, "libraries": ["serde"], "maxTurns": 7});
    assert_eq!(list["userStories"][6], expected);
}

#[test]
fn a_story_is_selected_right_after_the_one_it_is_added_after() {
    let (mut list, messages) = results(json!([with(add("N"), "/after", json!("A"))]), REQUIRED);
    assert_eq!(messages, ["story N added after A: needed"]);
    assert_eq!((ids(&list).as_str(), &list["userStories"][1]["priority"]), ("ANBCDEF", &json!(1)));
    // After A and the stories in review are done.
    for story in [0, 5, 6] {
        let id = list["userStories"][story]["id"].as_str().unwrap().to_owned();
        list["userStories"][story] = story_at(&id, true, Some("approved"), 1);
    }
    let selection = select(
        &parsed(&list),
        REQUIRED,
        &Default::default(),
        &Default::default(),
        &Default::default(),
    );
    assert!(matches!(selection, Selection::Work { story, .. } if story == id("N")));
}

#[test]
fn an_own_priority_is_used() {
    let amendment = with(with(add("N"), "/task/priority", json!(2.5)), "/after", json!("D"));
    let (list, _) = results(json!([amendment]), REQUIRED);
    assert_eq!(
        (ids(&list).as_str(), &list["userStories"][4]["priority"]),
        ("ABCDNEF", &json!(2.5))
    );
}

#[test]
fn every_allowed_field_changes() {
    let cases = [
        ("title", "title", json!("New")),
        ("description", "description", json!("New")),
        ("notes", "notes", json!("mind the gap")),
        ("priority", "priority", json!(0.5)),
        ("depends_on", "dependsOn", json!(["A"])),
        ("depends_on", "dependsOn", json!(["A", "D"])),
        ("skills", "skills", json!(["testing", "v1.2"])),
        ("needs_docs", "needsDocs", json!(true)),
        ("libraries", "libraries", json!(["serde"])),
        ("max_turns", "maxTurns", json!(3)),
        ("acceptance_criteria", "acceptanceCriteria", json!(["new", "B is tested", "B works"])),
    ];
    for (change, field, value) in cases {
        let (list, messages) = results(json!([modify("B", json!({change: value}))]), REQUIRED);
        assert_eq!(messages, [format!("story B changed in {field}: better")]);
        let mut expected = plan();
        expected["userStories"][1][field] = value;
        assert_eq!(list, expected);
    }
}

#[test]
fn only_differences_are_written_and_null_is_ignored() {
    let changes = json!({"title": "Title of B", "notes": null, "priority": 9, "depends_on": []});
    let (_, messages) = results(json!([modify("B", changes)]), REQUIRED);
    assert_eq!(messages, ["story B changed in priority: better"]);
}

#[test]
fn stories_in_review_may_be_changed() {
    for story in ["E", "F"] {
        let (_, messages) = results(json!([modify(story, json!({"notes": "n"}))]), REQUIRED);
        assert_eq!(messages, [format!("story {story} changed in notes: better")]);
    }
}

#[test]
fn a_story_is_removed_after_a_split() {
    let part = |id: &str, criterion: &str| {
        let part = with(with(add(id), "/task/split_from", json!("C")), "/after", json!("C"));
        with(part, "/task/acceptance_criteria", json!([criterion, "more"]))
    };
    let parts = [part("Y", "C is tested"), part("X", "C works")];
    let (list, messages) = results(json!([parts[0], parts[1], remove("C")]), REQUIRED);
    let last = "story C removed, split into Y, X: gone";
    assert_eq!(messages, ["story Y added after C: needed", "story X added after C: needed", last]);
    assert_eq!(ids(&list), "ABXYDEF");
}

#[test]
fn parts_of_an_imported_story_have_its_source() {
    let mut plan = plan();
    plan["userStories"][2]["source"] = json!("https://h/o/r/issues/1");
    let amendments = [with(add("X"), "/task/split_from", json!("C")), add("N")];
    let list = parsed(
        &serde_json::from_str(&amended(&plan.to_string(), &amendments, REQUIRED).text).unwrap(),
    );
    let source = |name: &str| list.story(&id(name)).unwrap().source.clone();
    assert_eq!((source("X"), source("N")), (source("C"), None));
    assert!(source("C").is_some());
}

#[test]
fn without_review_stories_may_be_removed_and_criteria_changed() {
    let criteria = json!({"acceptance_criteria": ["other"]});
    let amendments = json!([remove("C"), modify("B", criteria)]);
    let (list, messages) = results(amendments, ReviewPolicy::Skipped);
    let changed = "story B changed in acceptanceCriteria: better";
    assert_eq!(messages, ["story C removed: gone", changed]);
    assert_eq!(ids(&list), "ABDEF");
}

#[test]
fn a_refused_amendment_does_not_stop_the_others() {
    let (list, messages) = results(json!([remove("D"), add("N"), remove("A"), add("O")]), REQUIRED);
    assert_eq!(ids(&list), "ABCDEFN");
    let shown = [
        "refused: remove D: D is done and may not change",
        "story N added at the end: needed",
        "refused: remove A: A is the story of this iteration and may not be amended",
        "refused: add O: more than 3 in one iteration",
    ];
    assert_eq!(messages, shown);
}

#[test]
fn later_amendments_build_on_earlier_ones() {
    let on_n = modify("B", json!({"depends_on": ["N"]}));
    let (list, messages) =
        results(json!([add("N"), on_n, modify("N", json!({"notes": "n"}))]), REQUIRED);
    assert_eq!(
        messages.iter().filter(|line| line.starts_with("refused")).count(),
        0,
        "{messages:?}"
    );
    assert_eq!(list["userStories"][1]["dependsOn"], json!(["N"]));
}

#[test]
fn reasons_are_one_bounded_line() {
    let reason = format!("two\nlines \u{1b}[31m {}", "x".repeat(1000));
    let amended =
        amended(&plan().to_string(), &[with(add("N"), "/reason", json!(reason))], REQUIRED);
    let messages = amended.outcomes[0].to_string();
    assert!(
        messages.starts_with("story N added at the end: two lines \u{fffd}[31m x"),
        "{messages}"
    );
    assert!(messages.chars().count() < 600, "{messages}");
}

#[test]
fn the_log_has_fields_for_applied_and_messages_for_refused() {
    let amendments = [with(add("N"), "/after", json!("A")), modify("N", json!({})), remove("B")];
    let outcomes = amended(&plan().to_string(), &amendments, REQUIRED).outcomes;
    let logged = serde_json::to_value(&outcomes).unwrap();
    let added = json!({"outcome": "applied", "story": "N", "reason": "needed",
        "what": {"action": "added", "after": "A"}});
    assert_eq!(logged[0], added);
    let refused =
        json!({"outcome": "refused", "amendment": "modify N", "why": "changes nothing about N"});
    assert_eq!(logged[1], refused);
}

/// A handwritten list with `@` at the insertion points.
fn hand_written(style: &str) -> String {
    let story = |id: &str| {
        format!(
            r#"{{"id":"{id}", "title": "t", "acceptanceCriteria": [ "\u00e9" ],"x-mine":1.0,
 "priority":1e0,"passes":false,"reviewStatus":null,"reviewCount":0,"reviewFeedback":""}}"#
        )
    };
    format!(
        r#"{{"project":"p","branchName":"b","description":"d","userStories":{}, "x": [1.0,  2]}}"#,
        style.replace('A', &story("A")).replace('B', &story("B"))
    )
}

#[test]
fn all_other_bytes_stay() {
    let added = r#"{"id":"N","title":"T","description":"D","acceptanceCriteria":["c"],"priority":1.0,"passes":false,"reviewStatus":null,"reviewCount":0,"reviewFeedback":"","notes":"","dependsOn":[]}"#;
    let cases = [
        ("[ A , B ]", json!([with(add("N"), "/after", json!("A"))]), "[ A, @ , B ]"),
        ("[A,B]", json!([add("N")]), "[A,B,@]"),
        ("[\n\tA,\n\tB\n]", json!([add("N")]), "[\n\tA,\n\tB,\n\t@\n]"),
        ("[ A , B ]", json!([remove("B")]), "[ A ]"),
        ("[ B , A ]", json!([remove("B")]), "[ A ]"),
    ];
    for (before, amendments, after) in cases {
        let before = hand_written(before);
        let amended = amended(&before, amendments.as_array().unwrap(), ReviewPolicy::Skipped);
        assert_eq!(amended.text, hand_written(after).replace('@', added), "{:?}", amended.outcomes);
    }
}

#[test]
fn insertions_have_the_indentation_of_their_neighbours() {
    let indented = |indent: &str, newline: &str, stories: &[Value]| {
        let text = serde_json::to_string_pretty(&list(stories.iter().cloned())).unwrap();
        let lines = text.lines().map(|line| {
            let bare = line.trim_start();
            format!("{}{bare}", indent.repeat((line.len() - bare.len()) / 2))
        });
        lines.collect::<Vec<_>>().join(newline)
    };
    for (indent, newline) in [("  ", "\n"), ("\t", "\n"), ("    ", "\r\n")] {
        let before = indented(indent, newline, &[story("A"), story("B")]);
        let amendments =
            [add("N"), modify("B", json!({"depends_on": ["A"], "acceptance_criteria": ["x"]}))];
        let amended = amended(&before, &amendments, ReviewPolicy::Skipped).text;
        let mut changed = story("B");
        changed["dependsOn"] = json!(["A"]);
        changed["acceptanceCriteria"] = json!(["x"]);
        let expected = indented(indent, newline, &[story("A"), changed]);
        let (head, tail) = expected.rsplit_once(&format!("{newline}{indent}],")).unwrap();
        assert!(amended.starts_with(head), "{amended}");
        assert!(amended.ends_with(tail), "{amended}");
        let one = indent.repeat(2);
        let new = format!(
            "}},{newline}{one}{{{newline}{one}{indent}\"id\": \"N\",{newline}{one}{indent}"
        );
        assert!(amended.contains(&new), "{amended}");
        let closing = format!("\"dependsOn\": []{newline}{one}}}{newline}{indent}],");
        assert!(amended.contains(&closing), "{amended}");
    }
}
