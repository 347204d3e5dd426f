//! Changes of `tasks.json` by an agent, allowed or not.

use std::path::Path;

use serde_json::{Map, Value, json};

/// One change of the list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TaskEdit<'a> {
    SetFields {
        story: &'a str,
        fields: Map<String, Value>,
    },
    /// Sets the fields and counts one more review.
    Review {
        story: &'a str,
        fields: Map<String, Value>,
    },
    Remove {
        story: &'a str,
    },
    Add {
        story: Map<String, Value>,
    },
    SetTop {
        field: &'a str,
        value: Value,
    },
}

impl<'a> TaskEdit<'a> {
    pub(super) fn submit(story: &'a str, notes: &str) -> Self {
        let fields = object(json!({"reviewStatus": "needs_review", "notes": notes}));
        Self::SetFields { story, fields }
    }

    pub(super) fn resubmit(story: &'a str) -> Self {
        let fields = object(json!({"reviewStatus": "needs_review", "reviewFeedback": ""}));
        Self::SetFields { story, fields }
    }

    pub(super) fn approve(story: &'a str, notes: &str) -> Self {
        let fields = json!({
            "reviewStatus": "approved", "passes": true, "reviewFeedback": "", "notes": notes,
        });
        Self::Review { story, fields: object(fields) }
    }

    pub(super) fn request_changes(story: &'a str, feedback: &str) -> Self {
        let fields = json!({"reviewStatus": "changes_requested", "reviewFeedback": feedback});
        Self::Review { story, fields: object(fields) }
    }

    /// The change as text.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::SetFields { story, fields } | Self::Review { story, fields } => {
                format!("{story}: {}", Value::Object(fields.clone()))
            }
            Self::Remove { story } => format!("{story}: removed"),
            Self::Add { story } => Value::Object(story.clone()).to_string(),
            Self::SetTop { field, value } => format!("{field}: {value}"),
        }
    }

    /// Rewrites the file; the error is the message of the tool.
    pub(super) fn apply_to_file(self, path: &Path) -> Result<(), String> {
        let mut list = read(path)?;
        self.apply(&mut list)?;
        // Atomically, so that a killed agent leaves a valid list and a kill test tests the runner.
        project::write_whole(path, format!("{list:#}\n").as_bytes())
            .map_err(|error| error.to_string())
    }

    fn apply(self, list: &mut Value) -> Result<(), String> {
        match self {
            Self::SetFields { story, fields } => find(list, story)?.extend(fields),
            Self::Review { story, fields } => {
                let story = find(list, story)?;
                let reviews = story.get("reviewCount").and_then(Value::as_u64).unwrap_or(0);
                story.extend(fields);
                story.insert("reviewCount".to_owned(), json!(reviews + 1));
            }
            Self::Remove { story } => {
                find(list, story)?;
                stories(list)?.retain(|entry| entry["id"] != story);
            }
            Self::Add { story } => stories(list)?.push(Value::Object(story)),
            Self::SetTop { field, value } => {
                let top = list.as_object_mut().ok_or("the task list is not an object")?;
                top.insert(field.to_owned(), value);
            }
        }
        Ok(())
    }
}

pub(super) fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn stories(list: &mut Value) -> Result<&mut Vec<Value>, String> {
    let stories = list.get_mut("userStories").and_then(Value::as_array_mut);
    stories.ok_or_else(|| "the task list has no userStories".to_owned())
}

fn find<'l>(list: &'l mut Value, id: &str) -> Result<&'l mut Map<String, Value>, String> {
    let story = stories(list)?.iter_mut().find(|story| story["id"] == id);
    let story = story.and_then(Value::as_object_mut);
    story.ok_or_else(|| format!("the task list has no story {id}"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(edit: TaskEdit<'_>) -> Result<Value, String> {
        let mut list = json!({"project": "p", "userStories": [
            {"id": "US-1", "reviewCount": 2, "reviewFeedback": "no", "other": "kept"},
            {"id": "US-2"},
        ]});
        edit.apply(&mut list).map(|()| list)
    }

    #[test]
    fn a_review_counts_and_leaves_the_rest_alone() {
        let list = after(TaskEdit::approve("US-1", "fine")).unwrap();
        assert_eq!(
            list["userStories"][0],
            json!({"id": "US-1", "reviewCount": 3, "reviewFeedback": "", "reviewStatus": "approved",
                "passes": true, "notes": "fine", "other": "kept"})
        );
        let list = after(TaskEdit::request_changes("US-2", "more tests")).unwrap();
        let story = &list["userStories"][1];
        assert_eq!(story["reviewCount"], 1);
        assert_eq!(story["reviewStatus"], "changes_requested");
        assert_eq!(story["reviewFeedback"], "more tests");
    }

    #[test]
    fn a_resubmission_does_not_count_and_clears_the_feedback() {
        let list = after(TaskEdit::resubmit("US-1")).unwrap();
        let story = &list["userStories"][0];
        assert_eq!((&story["reviewCount"], &story["reviewFeedback"]), (&json!(2), &json!("")));
        assert_eq!(story["reviewStatus"], "needs_review");
    }

    #[test]
    fn stories_come_and_go() {
        let list = after(TaskEdit::Remove { story: "US-1" }).unwrap();
        assert_eq!(list["userStories"], json!([{"id": "US-2"}]));
        let story = object(json!({"id": "US-3"}));
        let list = after(TaskEdit::Add { story }).unwrap();
        assert_eq!(list["userStories"][2]["id"], "US-3");
        let list = after(TaskEdit::SetTop { field: "verifyCommands", value: json!([]) }).unwrap();
        assert_eq!(list["verifyCommands"], json!([]));
    }

    #[test]
    fn a_missing_story_is_named() {
        let error = after(TaskEdit::submit("US-9", "")).unwrap_err();
        assert!(error.contains("US-9"), "{error}");
    }
}
