//! Builders for a valid list and small changes to it.

use serde_json::{Value, json};
use tasks::{Inspection, StoryId, TaskList, inspect};

/// A story in the initial state.
pub(crate) fn story(id: &str) -> Value {
    json!({
        "id": id,
        "title": format!("Title of {id}"),
        "description": "",
        "acceptanceCriteria": [format!("{id} works"), format!("{id} is tested")],
        "priority": 1,
        "passes": false,
        "reviewStatus": null,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
        "dependsOn": []
    })
}

/// A story with its review fields set, and valid feedback and notes.
pub(crate) fn story_at(id: &str, passes: bool, status: Option<&str>, count: u64) -> Value {
    let mut value = story(id);
    value["passes"] = json!(passes);
    value["reviewStatus"] = json!(status);
    value["reviewCount"] = json!(count);
    if passes {
        value["notes"] = json!("done");
    }
    if status == Some("changes_requested") {
        value["reviewFeedback"] = json!("the error path is missing");
    }
    value
}

pub(crate) fn list(stories: impl IntoIterator<Item = Value>) -> Value {
    json!({
        "project": "demo",
        "branchName": "ralph/demo",
        "description": "a demo",
        "verifyCommands": ["cargo test"],
        "userStories": stories.into_iter().collect::<Vec<_>>()
    })
}

pub(crate) fn inspected(value: &Value) -> Inspection {
    inspect(value.to_string().as_bytes())
}

pub(crate) fn parsed(value: &Value) -> TaskList {
    inspected(value).accepted().unwrap_or_else(|problems| panic!("{problems:?}\n{value:#}"))
}

pub(crate) fn problems(value: &Value) -> Vec<String> {
    inspected(value).problems.iter().map(ToString::to_string).collect()
}

pub(crate) fn id(text: &str) -> StoryId {
    StoryId::new(text).unwrap()
}
