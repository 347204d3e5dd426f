//! Every rule of the schema, broken once: wrong type, wrong value, missing.

use serde_json::{Value, json};
use tasks::SkillName;

use crate::support::{inspected, list, problems, story, story_at};

fn valid() -> Value {
    list([story("US-001"), story_at("US-002", true, Some("approved"), 1)])
}

/// Sets `pointer` to `value` and returns the problems.
fn with(pointer: &str, value: Value) -> Vec<String> {
    let mut list = valid();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    list.pointer_mut(parent).unwrap()[key] = value;
    problems(&list)
}

fn without(pointer: &str) -> Vec<String> {
    let mut list = valid();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    list.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
    problems(&list)
}

#[test]
fn a_valid_list_has_no_problems() {
    assert_eq!(problems(&valid()), Vec::<String>::new());
}

#[test]
fn wrong_types_and_values_are_named() {
    const STATUS: &str = r#"null, "needs_review", "changes_requested" or "approved""#;
    const ID: &str = "a story id of 1 to 64 characters out of A-Z a-z 0-9 . _ -";
    const SKILL: &str =
        "the name of a skill: 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot";
    let s = |field: &str, rest: &str| format!("story US-001: {field}: expected {rest}");
    let cases: Vec<(&str, Value, String)> = vec![
        ("/project", json!(1), "project: expected a string, found 1".into()),
        ("/branchName", json!(null), "branchName: expected a string, found null".into()),
        ("/description", json!([]), "description: expected a string, found an empty array".into()),
        ("/verifyCommands", json!("x"), r#"verifyCommands: expected an array, found "x""#.into()),
        (
            "/verifyCommands",
            json!(["x", 2]),
            "verifyCommands[1]: expected a command, or an object with a command as run, found 2"
                .into(),
        ),
        (
            "/verifyCommands",
            json!([{"paths": ["a"]}]),
            "verifyCommands[0]: run: expected a non-empty string, found nothing: the field is missing"
                .into(),
        ),
        (
            "/verifyCommands",
            json!([{"run": "x", "path": ["a"]}]),
            r#"verifyCommands[0]: keys: expected run, paths and timeout only, found "path""#.into(),
        ),
        (
            "/verifyCommands",
            json!([{"run": "x", "paths": ["web/../../x"]}]),
            r#"verifyCommands[0]: paths[0]: expected a pattern such as "web/**", relative to the project folder, found "web/../../x""#
                .into(),
        ),
        (
            "/verifyCommands",
            json!([{"run": "x", "timeout": "soon"}]),
            r#"verifyCommands[0]: timeout: expected a time such as "5m", found "soon""#.into(),
        ),
        (
            "/userStories",
            json!({"a": 1}),
            "userStories: expected an array, found an object with 1 keys".into(),
        ),
        ("/userStories", json!([7]), "userStories[0]: expected an object, found 7".into()),
        ("/userStories/0/title", json!(false), s("title", "a string, found false")),
        (
            "/userStories/0/acceptanceCriteria",
            json!("all"),
            s("acceptanceCriteria", r#"an array, found "all""#),
        ),
        (
            "/userStories/0/acceptanceCriteria",
            json!([]),
            s("acceptanceCriteria", "at least one criterion, found an empty array"),
        ),
        (
            "/userStories/0/acceptanceCriteria",
            json!(["ok", ""]),
            s("acceptanceCriteria[1]", r#"a non-empty string, found """#),
        ),
        (
            "/userStories/0/acceptanceCriteria",
            json!(["ok", "  \n"]),
            s("acceptanceCriteria[1]", r#"a non-empty string, found "  \n""#),
        ),
        (
            "/userStories/0/acceptanceCriteria",
            json!([["nested"]]),
            s("acceptanceCriteria[0]", "a non-empty string, found an array of 1"),
        ),
        (
            "/userStories/0/priority",
            json!("1"),
            s("priority", r#"a number (1 is first), found "1""#),
        ),
        ("/userStories/0/passes", json!("yes"), s("passes", r#"true or false, found "yes""#)),
        ("/userStories/0/passes", json!(0), s("passes", "true or false, found 0")),
        ("/userStories/0/passes", json!(null), s("passes", "true or false, found null")),
        (
            "/userStories/0/reviewStatus",
            json!("done"),
            s("reviewStatus", &format!(r#"{STATUS}, found "done""#)),
        ),
        (
            "/userStories/0/reviewStatus",
            json!(false),
            s("reviewStatus", &format!("{STATUS}, found false")),
        ),
        (
            "/userStories/0/reviewCount",
            json!(-1),
            s("reviewCount", "a whole number, 0 or more, found -1"),
        ),
        (
            "/userStories/0/reviewCount",
            json!(1.5),
            s("reviewCount", "a whole number, 0 or more, found 1.5"),
        ),
        (
            "/userStories/0/reviewCount",
            json!("1"),
            s("reviewCount", r#"a whole number, 0 or more, found "1""#),
        ),
        ("/userStories/0/reviewFeedback", json!(null), s("reviewFeedback", "a string, found null")),
        ("/userStories/0/description", json!(3), s("description", "a string, found 3")),
        ("/userStories/0/notes", json!(["x"]), s("notes", "a string, found an array of 1")),
        (
            "/userStories/0/dependsOn",
            json!("US-002"),
            s("dependsOn", r#"an array, found "US-002""#),
        ),
        ("/userStories/0/dependsOn", json!([2]), s("dependsOn[0]", &format!("{ID}, found 2"))),
        (
            "/userStories/0/dependsOn",
            json!(["US-002", "US-9"]),
            s(
                "dependsOn[1]",
                r#"the id of a story in this list, found "US-9", which no story has"#,
            ),
        ),
        (
            "/userStories/0/dependsOn",
            json!(["US-001"]),
            s("dependsOn", "no cycle, found US-001 → US-001"),
        ),
        (
            "/userStories/0/splitFrom",
            json!("a b"),
            s("splitFrom", &format!(r#"{ID}, found "a b""#)),
        ),
        ("/userStories/0/model", json!(5), s("model", "a string, found 5")),
        ("/userStories/0/skills", json!([1]), s("skills[0]", &format!("{SKILL}, found 1"))),
        (
            "/userStories/0/skills",
            json!(["rust", "../../etc/passwd"]),
            s("skills[1]", &format!(r#"{SKILL}, found "../../etc/passwd""#)),
        ),
        ("/userStories/0/needsDocs", json!("no"), s("needsDocs", r#"true or false, found "no""#)),
        ("/userStories/0/libraries", json!({}), s("libraries", "an array, found an empty object")),
        ("/userStories/0/splitFrom", json!(7), s("splitFrom", &format!("{ID}, found 7"))),
        ("/userStories/0/skills", json!("rust"), s("skills", r#"an array, found "rust""#)),
        ("/userStories/0/libraries", json!([null]), s("libraries[0]", "a string, found null")),
        (
            "/userStories/0/maxTurns",
            json!("3"),
            s("maxTurns", r#"a whole number, 1 or more, found "3""#),
        ),
        (
            "/userStories/0/maxTurns",
            json!(1.5),
            s("maxTurns", "a whole number, 1 or more, found 1.5"),
        ),
        ("/userStories/0/maxTurns", json!(0), s("maxTurns", "a whole number, 1 or more, found 0")),
        (
            "/userStories/1/notes",
            json!(""),
            "story US-002: notes: expected a note on what was done, because passes is true, found \
             none"
                .into(),
        ),
        (
            "/userStories/1/notes",
            json!("  "),
            "story US-002: notes: expected a note on what was done, because passes is true, found \
             only blanks"
                .into(),
        ),
    ];
    for (pointer, value, expected) in cases {
        assert_eq!(with(pointer, value.clone()), [expected], "{pointer} = {value}");
    }
}

#[test]
fn missing_required_fields_are_named() {
    for field in ["project", "branchName", "description"] {
        let expected = format!("{field}: expected a string, found nothing: the field is missing");
        assert_eq!(without(&format!("/{field}")), [expected]);
    }
    assert_eq!(
        without("/userStories"),
        ["userStories: expected an array, found nothing: the field is missing"]
    );
    let required = [
        "title",
        "acceptanceCriteria",
        "priority",
        "passes",
        "reviewStatus",
        "reviewCount",
        "reviewFeedback",
    ];
    for field in required {
        let found = without(&format!("/userStories/0/{field}"));
        assert_eq!(found.len(), 1, "{field}: {found:?}");
        assert!(found[0].starts_with(&format!("story US-001: {field}: expected ")), "{found:?}");
        assert!(found[0].ends_with("found nothing: the field is missing"), "{found:?}");
    }
}

#[test]
fn optional_fields_may_be_absent_or_null() {
    for field in ["description", "notes", "dependsOn"] {
        assert_eq!(without(&format!("/userStories/0/{field}")), Vec::<String>::new(), "{field}");
    }
    assert_eq!(without("/verifyCommands"), Vec::<String>::new());
    for field in ["description", "notes", "dependsOn", "splitFrom", "model", "skills", "maxTurns"] {
        let found = with(&format!("/userStories/0/{field}"), Value::Null);
        assert_eq!(found, Vec::<String>::new(), "{field}");
    }
}

#[test]
fn an_id_that_cannot_be_used_is_reported_by_position() {
    for bad in
        [json!(""), json!("US 1"), json!("a/b"), json!(1), json!(null), json!("x".repeat(65))]
    {
        let found = with("/userStories/0/id", bad.clone());
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
        assert!(
            found[0].starts_with("story number 1: id: expected a story id of 1 to 64"),
            "{found:?}"
        );
    }
}

#[test]
fn two_stories_cannot_share_an_id() {
    let found = problems(&list([story("A"), story("B"), story("A")]));
    assert_eq!(
        found,
        ["story A: id: expected an id that no other story has, found the id of story number 1 \
             again, at story number 3"]
    );
}

#[test]
fn a_cycle_is_shown_once_and_whole() {
    let mut stories = [story("A"), story("B"), story("C"), story("D")];
    stories[0]["dependsOn"] = json!(["B"]);
    stories[1]["dependsOn"] = json!(["C"]);
    stories[2]["dependsOn"] = json!(["A"]);
    stories[3]["dependsOn"] = json!(["A"]);
    let found = problems(&list(stories));
    assert_eq!(found, ["story A: dependsOn: expected no cycle, found A → B → C → A"]);
}

#[test]
fn a_diamond_is_not_a_cycle() {
    let mut stories = [story("A"), story("B"), story("C"), story("D")];
    stories[0]["dependsOn"] = json!(["B", "C"]);
    stories[1]["dependsOn"] = json!(["D"]);
    stories[2]["dependsOn"] = json!(["D"]);
    assert_eq!(problems(&list(stories)), Vec::<String>::new());
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut broken = valid();
    broken["project"] = json!(1);
    broken["userStories"][0]["passes"] = json!("no");
    broken["userStories"][0]["priority"] = json!("high");
    broken["userStories"][1]["notes"] = json!("");
    let found = problems(&broken);
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn readable_stories_survive_their_broken_neighbours() {
    let mut broken = valid();
    broken["userStories"][0]["passes"] = json!("no");
    let inspection = inspected(&broken);
    let ids: Vec<_> = inspection.list.unwrap().stories.into_iter().map(|s| s.id).collect();
    assert_eq!(ids, [crate::support::id("US-002")]);
    assert_eq!(inspection.unreadable, [crate::support::id("US-001")].into());
}

#[test]
fn the_whole_must_be_an_object() {
    assert_eq!(
        problems(&json!([1, 2])),
        ["the whole: expected a JSON object, found an array of 2"]
    );
}

#[test]
fn every_field_arrives_in_the_list() {
    let mut full = story("US-001");
    for (field, value) in [
        ("description", json!("what")),
        ("priority", json!(2.5)),
        ("notes", json!("done")),
        ("dependsOn", json!(["US-002"])),
        ("splitFrom", json!("US-000")),
        ("model", json!("opus")),
        ("skills", json!(["rust"])),
        ("needsDocs", json!(true)),
        ("libraries", json!(["serde"])),
        ("maxTurns", json!(1)),
        ("reviewFeedback", json!("better")),
    ] {
        full[field] = value;
    }
    let list = crate::support::parsed(&list([full, story("US-002")]));
    assert_eq!(
        (list.project.as_str(), list.branch_name.as_str(), list.description.as_str()),
        ("demo", "ralph/demo", "a demo")
    );
    assert_eq!(list.verify_commands, ["cargo test".into()]);
    let id = crate::support::id;
    let story = list.story(&id("US-001")).unwrap();
    assert_eq!((story.title.as_str(), story.description.as_str()), ("Title of US-001", "what"));
    assert_eq!(story.acceptance_criteria, ["US-001 works", "US-001 is tested"]);
    assert_eq!((story.priority, story.notes.as_str()), (2.5, "done"));
    assert_eq!((&story.depends_on, &story.split_from), (&vec![id("US-002")], &Some(id("US-000"))));
    assert_eq!((story.model.as_deref(), story.max_turns), (Some("opus"), Some(1)));
    let rust = SkillName::new("rust").unwrap();
    assert_eq!((story.skills.as_slice(), story.needs_docs), (&[rust][..], true));
    assert_eq!(
        (story.libraries.as_slice(), story.review_feedback.as_str()),
        (&["serde".to_owned()][..], "better")
    );
}

#[test]
fn a_list_with_problems_is_not_accepted_although_it_could_be_read() {
    let mut broken = valid();
    broken["userStories"][0]["title"] = json!(1);
    let inspection = inspected(&broken);
    assert_eq!(inspection.list.as_ref().unwrap().stories.len(), 2);
    assert_eq!(inspection.accepted().unwrap_err().len(), 1);
}
