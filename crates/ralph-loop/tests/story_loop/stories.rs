//! Task lists and the acts that agents of these tests perform most.

use serde_json::{Value, json};
use simulator::Act;

pub(crate) const NEEDS_REVIEW: &str = "needs_review";
pub(crate) const CHANGES_REQUESTED: &str = "changes_requested";

pub(crate) fn list(stories: impl IntoIterator<Item = Value>) -> Value {
    json!({
        "project": "demo", "branchName": "ralph/demo", "description": "a demo",
        "userStories": stories.into_iter().collect::<Vec<_>>(),
    })
}

/// Not started.
pub(crate) fn story(id: &str) -> Value {
    json!({
        "id": id, "title": format!("Title of {id}"),
        "acceptanceCriteria": ["it works", "it is tested"], "priority": 1, "passes": false,
        "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    })
}

/// Further along, as well-behaved iterations leave it.
pub(crate) fn story_at(id: &str, status: &str, reviews: u64) -> Value {
    let mut story = story(id);
    story["reviewStatus"] = json!(status);
    story["reviewCount"] = json!(reviews);
    story["passes"] = json!(status == "approved");
    story["notes"] = json!("what was done");
    if status == CHANGES_REQUESTED {
        story["reviewFeedback"] = json!("handle the empty name");
    }
    story
}

/// The fields that a review is about.
pub(crate) fn fields(passes: bool, status: impl Into<Value>, count: u64, feedback: &str) -> Value {
    json!([passes, status.into(), count, feedback])
}

/// Sets fields of a story that is named.
pub(crate) fn set<const N: usize>(story: &str, fields: [(&str, Value); N]) -> Act {
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    Act::SetStory { story: Some(story.into()), fields }
}

/// Commits everything but what the user had not committed.
pub(crate) fn commit(message: &str) -> Act {
    Act::bash(format!("git add -A . ':!mine.txt' ':!mine' && git commit -q -m '{message}'"))
}

/// Approves the way a review does it, in whatever mode.
pub(crate) fn approval(story: &str) -> Act {
    set(
        story,
        [
            ("passes", json!(true)),
            ("reviewStatus", json!("approved")),
            ("reviewCount", json!(1)),
            ("notes", json!("what was done")),
        ],
    )
}
