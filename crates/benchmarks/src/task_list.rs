//! Task lists of any length, and the snapshot of them that a marker holds.

use serde_json::{Map, Value, json};
use tasks::Sha256Digest;

const CRITERIA: usize = 5;

/// Stories that wait for each other in groups of this many, as the parts of a feature do.
const CHAIN: usize = 10;

/// `stories` stories, none of them begun.
pub(crate) fn fresh(stories: usize) -> Value {
    json!({
        "project": "shop",
        "branchName": "ralph/shop",
        "description": "A shop with more stories than anybody should plan at once.",
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

/// `preIterationSnapshot` and `acceptanceCriteria` of a marker.
pub(crate) fn snapshot(tasks: &Value) -> (Value, Value) {
    let mut states = Map::new();
    let mut digests = Map::new();
    for story in tasks["userStories"].as_array().into_iter().flatten() {
        let id = story["id"].as_str().unwrap_or_default();
        let fields = ["passes", "reviewStatus", "reviewCount"];
        let state = fields.map(|field| (field.to_owned(), story[field].clone()));
        states.insert(id.to_owned(), state.into_iter().collect::<Map<_, _>>().into());
        let criteria = story["acceptanceCriteria"].as_array().into_iter().flatten();
        let hashes =
            criteria.filter_map(Value::as_str).map(|text| Sha256Digest::of(text).to_string());
        digests.insert(id.to_owned(), hashes.collect::<Vec<String>>().into());
    }
    (states.into(), digests.into())
}
