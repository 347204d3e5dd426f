//! Edits of the task list by the agent: each one is a shell command that writes the whole list.

use serde_json::{Value, json};
use simulator::Turn;

pub(crate) struct Stories {
    list: Value,
}

impl From<Value> for Stories {
    fn from(list: Value) -> Self {
        Self { list }
    }
}

impl Stories {
    /// Replaces the stories of the list with two.
    pub(crate) fn new(mut list: Value) -> Self {
        list["userStories"] = json!([
            story("US-001", "Greet by name", "greet.sh Ada prints Hello Ada"),
            story("US-002", "Say goodbye", "bye.sh prints Bye"),
        ]);
        Self { list }
    }

    pub(crate) fn text(&self) -> String {
        format!("{:#}\n", self.list)
    }

    /// The agent does the work, changes these fields of a story, and commits.
    pub(crate) fn work(&mut self, work: &str, story: usize, fields: Value) -> Turn {
        let story = self.list["userStories"][story].as_object_mut().unwrap();
        story.extend(fields.as_object().unwrap().clone());
        let list = self.text();
        Turn::bash(format!(
            "{{ {work}; }} && cat >ralph/tasks.json <<'END' && git add -A && git commit -qm work\n\
             {list}END"
        ))
    }
}

/// The agent does the work and commits; the task list is unchanged.
pub(crate) fn committed(work: &str) -> Turn {
    Turn::bash(format!("{{ {work}; }} && git add -A && git commit -qm 'feat: work'"))
}

fn story(id: &str, title: &str, criterion: &str) -> Value {
    json!({
        "id": id, "title": title, "acceptanceCriteria": [criterion], "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    })
}

pub(crate) fn submitted() -> Value {
    json!({"reviewStatus": "needs_review", "reviewFeedback": "", "notes": "built and tested"})
}

/// The final message of a review that approves.
pub(crate) const APPROVED: &str = "Approved.\n<verdict>approved</verdict>";

pub(crate) fn approved(reviews: u64) -> Value {
    json!({"passes": true, "reviewStatus": "approved", "reviewCount": reviews, "notes": "it works"})
}

pub(crate) fn rejected(feedback: &str) -> Value {
    json!({"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": feedback})
}
