//! Changes of `tasks.json` by an agent, allowed or not.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::Act;

type Apply = dyn FnOnce(&mut Value) -> Result<(), String>;

/// One change of the list.
pub(super) struct TaskEdit {
    /// The change as text.
    pub(super) shown: String,
    apply: Box<Apply>,
}

impl TaskEdit {
    fn new(shown: String, apply: impl FnOnce(&mut Value) -> Result<(), String> + 'static) -> Self {
        Self { shown, apply: Box::new(apply) }
    }

    /// The change of an act; `None` if it changes nothing in the list.
    pub(super) fn of(act: &Act, assigned: &str) -> Option<Self> {
        let set = |fields, counts_review| set_fields(assigned.to_owned(), fields, counts_review);
        Some(match act.clone() {
            Act::SetStory { story, fields } => {
                set_fields(story.unwrap_or(assigned.to_owned()), Value::Object(fields), false)
            }
            Act::RemoveStory { story } => {
                let id = story.unwrap_or(assigned.to_owned());
                Self::new(format!("{id}: removed"), move |list| {
                    find(list, &id)?;
                    stories(list).map(|stories| stories.retain(|story| story["id"] != id))
                })
            }
            Act::AddStory { story } => {
                let story = Value::Object(story);
                let shown = story.to_string();
                Self::new(shown, |list| stories(list).map(|stories| stories.push(story)))
            }
            Act::SetTop { field, value } => Self::new(format!("{field}: {value}"), |list| {
                let top = list.as_object_mut().ok_or("the task list is not an object")?;
                top.insert(field, value);
                Ok(())
            }),
            Act::Submit { notes } => {
                set(json!({"reviewStatus": "needs_review", "notes": notes}), false)
            }
            Act::Resubmit => {
                set(json!({"reviewStatus": "needs_review", "reviewFeedback": ""}), false)
            }
            Act::Approve { notes } => {
                let status = json!({
                    "reviewStatus": "approved", "passes": true, "reviewFeedback": "",
                    "notes": notes,
                });
                set(status, true)
            }
            Act::RequestChanges { feedback } => {
                let status = "changes_requested";
                set(json!({"reviewStatus": status, "reviewFeedback": feedback}), true)
            }
            _ => return None,
        })
    }

    /// Rewrites the file; the error is the message of the tool.
    pub(super) fn apply_to_file(self, path: &Path) -> Result<(), String> {
        let mut list = read(path)?;
        (self.apply)(&mut list)?;
        // Atomically, so that a killed agent leaves a valid list and a kill test tests the runner.
        project::write_whole(path, format!("{list:#}\n").as_bytes())
            .map_err(|error| error.to_string())
    }
}

fn set_fields(story: String, fields: Value, counts_review: bool) -> TaskEdit {
    TaskEdit::new(format!("{story}: {fields}"), move |list| {
        let story = find(list, &story)?;
        let reviews = story.get("reviewCount").and_then(Value::as_u64).unwrap_or(0);
        story.extend(fields.as_object().cloned().unwrap_or_default());
        if counts_review {
            story.insert("reviewCount".to_owned(), json!(reviews + 1));
        }
        Ok(())
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The list after an act of a session for `story`.
    fn after(act: Act, story: &str) -> Result<Value, String> {
        let mut list = json!({"project": "p", "userStories": [
            {"id": "US-1", "reviewCount": 2, "reviewFeedback": "no", "other": "kept"},
            {"id": "US-2"},
        ]});
        let edit = TaskEdit::of(&act, story).unwrap();
        (edit.apply)(&mut list).map(|()| list)
    }

    #[test]
    fn a_review_counts_and_leaves_the_rest_alone() {
        let list = after(Act::approve("fine"), "US-1").unwrap();
        assert_eq!(
            list["userStories"][0],
            json!({"id": "US-1", "reviewCount": 3, "reviewFeedback": "", "reviewStatus": "approved",
                "passes": true, "notes": "fine", "other": "kept"})
        );
        let list = after(Act::request_changes("more tests"), "US-2").unwrap();
        let story = &list["userStories"][1];
        assert_eq!(story["reviewCount"], 1);
        assert_eq!(story["reviewStatus"], "changes_requested");
        assert_eq!(story["reviewFeedback"], "more tests");
    }

    #[test]
    fn a_resubmission_does_not_count_and_clears_the_feedback() {
        let list = after(Act::Resubmit, "US-1").unwrap();
        let story = &list["userStories"][0];
        assert_eq!((&story["reviewCount"], &story["reviewFeedback"]), (&json!(2), &json!("")));
        assert_eq!(story["reviewStatus"], "needs_review");
    }

    #[test]
    fn stories_come_and_go() {
        let list = after(Act::RemoveStory { story: None }, "US-1").unwrap();
        assert_eq!(list["userStories"], json!([{"id": "US-2"}]));
        let story = Map::from_iter([("id".to_owned(), json!("US-3"))]);
        let list = after(Act::AddStory { story }, "").unwrap();
        assert_eq!(list["userStories"][2]["id"], "US-3");
        let top = Act::SetTop { field: "verifyCommands".into(), value: json!([]) };
        let list = after(top, "").unwrap();
        assert_eq!(list["verifyCommands"], json!([]));
    }

    #[test]
    fn a_missing_story_is_named() {
        let error = after(Act::submit(""), "US-9").unwrap_err();
        assert!(error.contains("US-9"), "{error}");
    }
}
