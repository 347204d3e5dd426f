//! Task lists of any length, and their snapshot in a marker.

use serde_json::{Map, Value, json};
use tasks::Snapshot;

pub(crate) const CRITERIA: usize = 5;

/// Size of a group of dependent stories.
const CHAIN: usize = 10;

/// `stories` stories, none started.
pub(crate) fn fresh(stories: usize) -> Value {
    json!({
        "project": "shop",
        "branchName": "ralph/shop",
        "description": "A shop with a very long plan.",
        "verifyCommands": ["cargo test", "cargo clippy"],
        "userStories": (0..stories).map(story).collect::<Vec<Value>>(),
    })
}

pub(crate) fn id(index: usize) -> String {
    format!("US-{:04}", index + 1)
}

fn story(index: usize) -> Value {
    let criteria = (1..=CRITERIA).map(|number| {
        format!("Criterion {number} of story {index}: the total on the page is the sum of the rows")
    });
    let waits_for: Vec<String> =
        if index.is_multiple_of(CHAIN) { Vec::new() } else { vec![id(index - 1)] };
    json!({
        "id": id(index),
        "title": format!("Show total number {index}"),
        "description": "As a buyer I want to see what I will pay before I pay it. ".repeat(3),
        "acceptanceCriteria": criteria.collect::<Vec<String>>(),
        "priority": index + 1,
        "passes": false,
        "reviewStatus": null,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
        "dependsOn": waits_for,
    })
}

/// The snapshot fields of a marker, as the runner writes them.
pub(crate) fn snapshot(tasks: &Value) -> Result<Map<String, Value>, serde_json::Error> {
    let list = tasks::inspect(tasks.to_string().as_bytes()).list;
    let snapshot = list.as_ref().map(Snapshot::of).unwrap_or_default();
    let fields = [
        ("verifyCommands", serde_json::to_value(&snapshot.verify_commands)?),
        ("preIterationSnapshot", serde_json::to_value(&snapshot.stories)?),
        ("acceptanceCriteria", serde_json::to_value(&snapshot.criteria)?),
        ("storyFields", serde_json::to_value(&snapshot.fields)?),
        ("listFields", serde_json::to_value(&snapshot.list_fields)?),
    ];
    Ok(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
