//! Stories that the runner itself adds.

use serde_json::{Value, json};

use super::new_story::NewStory;
use super::priority_giver;
use crate::document::Document;
use crate::editor::Editor;
use crate::{EditError, StoryId, inspect};

/// A new story that nothing is known about but its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryDraft {
    pub id: StoryId,
    pub title: String,
    pub description: String,
    pub criterion: String,
}

impl StoryDraft {
    fn story(&self) -> NewStory {
        NewStory::open(
            self.id.clone(),
            [
                ("title", self.title.clone().into()),
                ("description", self.description.clone().into()),
                ("acceptanceCriteria", json!([self.criterion])),
            ],
        )
    }
}

/// The list with these stories at its end; those whose id it has already are left out. They have the largest priority of
/// the list, so they come last.
pub fn with_new_stories(text: &str, drafts: &[StoryDraft]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for draft in drafts {
        let document = Document::parse(&text)?;
        if document.position(&draft.id).is_some() {
            continue;
        }
        let list = inspect(text.as_bytes()).list;
        let giver = list.as_ref().and_then(|list| priority_giver(list, None));
        let priority: Option<Value> = match giver {
            Some(giver) => document.value(Some(&giver.id), "priority")?,
            None => None,
        }
        .and_then(|text| serde_json::from_str(text).ok());
        let priority = priority.and_then(|value| value.as_number().cloned());
        let mut editor = Editor::new(&document);
        editor.insert_story(None, &draft.story().with_priority(priority))?;
        text = editor.finish();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"project":"p","branchName":"b","description":"d","userStories":[
  {"id":"US-1","title":"t","acceptanceCriteria":["c"],"priority":2.5,"passes":true,
   "reviewStatus":"approved","reviewCount":1,"reviewFeedback":"","notes":"n"}
]}"#;

    fn draft(id: &str) -> StoryDraft {
        StoryDraft {
            id: StoryId::new(id).unwrap(),
            title: "Round \"sums\"".into(),
            description: "From a review.".into(),
            criterion: "Sums are rounded once.".into(),
        }
    }

    #[test]
    fn a_draft_becomes_an_open_story_at_the_end_and_is_added_once() {
        let drafts = [draft("FR-001"), draft("FR-002")];
        let text = with_new_stories(LIST, &drafts).unwrap();
        let list = inspect(text.as_bytes()).accepted().unwrap();
        let ids: Vec<&str> = list.stories.iter().map(|story| story.id.as_str()).collect();
        assert_eq!(ids, ["US-1", "FR-001", "FR-002"]);
        let added = &list.stories[1];
        assert_eq!((added.title.as_str(), added.priority), ("Round \"sums\"", 2.5));
        assert_eq!(added.acceptance_criteria, ["Sums are rounded once."]);
        assert_eq!(added.state(), crate::StoryState::FRESH);
        assert_eq!(list.stories[0].review_count, 1);
        assert_eq!(with_new_stories(&text, &drafts).unwrap(), text);
    }
}
