//! Setting the review fields of one story: nothing else changes, in any format.

use tasks::{EditError, ReviewFields, ReviewStatus, StoryState, with_review_fields};

use crate::support::id;

fn submitted() -> ReviewFields {
    let state =
        StoryState { passes: false, review_status: ReviewStatus::NeedsReview, review_count: 2 };
    ReviewFields { state, feedback: "say \"é\"\n".into() }
}

fn edited(text: &str) -> Result<String, EditError> {
    with_review_fields(text, &id("B"), &submitted())
}

/// `text` has `<new|old>` for a replaced value and `<new|>` for an added one.
#[track_caller]
fn check(text: &str) {
    let (mut old, mut new) = (String::new(), String::new());
    for (n, part) in text.split(['<', '>']).enumerate() {
        let (to, from) = if n % 2 == 1 { part.split_once('|').unwrap() } else { (part, part) };
        old.push_str(from);
        new.push_str(to);
    }
    assert_eq!(edited(&old).unwrap(), new);
    assert_eq!(edited(&new).unwrap(), new, "a second time");
}

#[test]
fn only_the_four_values_of_the_one_story_change() {
    check(
        r#"{
  "x-first": [1.0, 12345678901234567890123, -0.0, 1E5, {}, {"passes": true}],
  "userStories": [
    {"id": "A", "passes": true, "reviewStatus": "approved", "reviewCount": 1, "reviewFeedback": "é"},
    {
      "passes" : <false|true>,
      "x-\u00fcnknown": "\u00e9 \/ \ud83d\ude00 é {\"passes\": true}, [",
      "reviewStatus":   <"needs_review"|null>,
      "id": "B",   "priority": 1.0,
      "reviewCount": <2|0>,
      "reviewFeedback": <"say \"é\"\n"|"">
    }
  ,  7, null, {}, {"title": "no id"}
  ],
  "description": "last"
}

"#,
    );
}

#[test]
fn missing_fields_are_appended_in_the_style_of_the_object() {
    let cases = [
        // one line, with and without blanks
        r#"{"userStories":[{"id":"B"<,"passes":false,"reviewStatus":"needs_review","reviewCount":2,"reviewFeedback":"say \"é\"\n"|>}]}"#,
        r#"{"userStories": [{ "id": "B"<, "passes": false, "reviewStatus": "needs_review", "reviewCount": 2, "reviewFeedback": "say \"é\"\n"|> }]}"#,
        // tabs, and a colon with blanks around it
        "{\"userStories\": [\n\t{\n\t\t\"id\" : \"B\"<,\n\t\t\"passes\" : false,\n\t\t\"reviewStatus\" : \"needs_review\",\n\t\t\"reviewCount\" : 2,\n\t\t\"reviewFeedback\" : \"say \\\"é\\\"\\n\"|>\n\t}\n]}\n",
        // four blanks, and Windows line endings
        "{\r\n\"userStories\": [\r\n    {\r\n        \"id\": \"B\",\r\n        \"passes\": <false|true>,\r\n        \"reviewStatus\": \"needs_review\",\r\n        \"reviewFeedback\": <\"say \\\"é\\\"\\n\"|\"\">,\r\n        \"notes\": \"a:b,c\"<,\r\n        \"reviewCount\": 2|>\r\n    }\r\n]}\r\n",
        // a comma that begins the line
        "{\"userStories\": [{\"id\": \"B\"\n, \"passes\": <false|true>\n, \"reviewCount\": <2|1>\n, \"reviewFeedback\": <\"say \\\"é\\\"\\n\"|\"\"><, \"reviewStatus\": \"needs_review\"|>\n}]}",
    ];
    for case in cases {
        check(case);
    }
}

#[test]
fn a_name_may_be_spelled_with_escapes() {
    check(
        r#"{"\u0075serStories": [{"i\u0064": "\u0042", "p\u0061sses": <false|true>,
        "reviewStatus": <"needs_review"|"approved">, "reviewCount": <2|1>, "reviewFeedback": <"say \"é\"\n"|"\u00e9">}]}"#,
    );
}

#[test]
fn ambiguous_targets_are_not_edited() {
    let twice = |name: &str| EditError::Twice(name.into());
    let cases = [
        (r#"{"userStories": [{"id": "B", "passes": true, "passes": false}]}"#, twice("passes")),
        (r#"{"userStories": [{"id": "B"}, {"id": "B"}]}"#, twice("B")),
        (r#"{"userStories": [{"id": "B"}], "userStories": []}"#, twice("userStories")),
        (
            r#"{"userStories": [{"id": "A"}, {"id": "B", "id": "C"}]}"#,
            EditError::NoSuchStory(id("B")),
        ),
        (r#"{"userStories": []}"#, EditError::NoSuchStory(id("B"))),
        (r#"{"userStories": {}}"#, EditError::NoStories),
        (r#"{}"#, EditError::NoStories),
    ];
    for (text, error) in cases {
        assert_eq!(edited(text), Err(error), "{text}");
    }
    for text in ["", "[]", "{", "{\"userStories\": []} x", "\u{feff}{\"userStories\": []}"] {
        assert!(matches!(edited(text), Err(EditError::NotJson(_))), "{text:?}");
    }
}

#[test]
fn duplicate_keys_elsewhere_are_ignored() {
    check(
        r#"{"x": 1, "x": 2, "userStories": [{"id": "B", "x": 1, "x": 2, "passes": <false|true>, "reviewStatus": "needs_review", "reviewCount": 2, "reviewFeedback": <"say \"é\"\n"|"">}]}"#,
    );
}

#[test]
fn any_feedback_is_written_as_json() {
    let text = r#"{"userStories": [{"id": "B"}]}"#;
    for feedback in
        ["\0\u{1b}[2J\u{2028}\u{feff}", "\\\"", "😀\r\n\t", "\",\"passes\":true,\"x\":\""]
    {
        let fields = ReviewFields { feedback: feedback.into(), ..submitted() };
        let edited = with_review_fields(text, &id("B"), &fields).unwrap();
        let value: serde_json::Value = serde_json::from_str(&edited).unwrap();
        assert_eq!(value["userStories"][0]["reviewFeedback"], feedback);
        assert_eq!(value["userStories"][0]["passes"], false);
    }
}
