//! Adds stories that are not from a session: those of an import, and those that the runner writes.

use std::collections::BTreeSet;

use serde_json::Number;

use super::priority_giver;
use crate::document::Document;
use crate::editor::Editor;
use crate::{EditError, StoryDraft, StoryId, inspect};

/// The list with these stories at its end; those whose id it has already are left out. A story without a priority has
/// the largest one of the list, so it comes last.
pub fn with_new_stories(text: &str, drafts: &[StoryDraft]) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let list = inspect(text.as_bytes()).list;
    let giver = list.as_ref().and_then(|list| priority_giver(list, None));
    let largest = match giver {
        Some(giver) => document.value(Some(&giver.id), "priority")?,
        None => None,
    };
    let largest: Option<Number> = largest.and_then(|text| serde_json::from_str(text).ok());
    let largest = largest.unwrap_or_else(|| 1.into());
    let mut seen = BTreeSet::new();
    let mut added = Vec::new();
    for draft in drafts {
        if document.position(&draft.id).is_none() && seen.insert(&draft.id) {
            let priority = draft.priority.clone().unwrap_or_else(|| largest.clone());
            added.push(StoryDraft { priority: Some(priority), ..draft.clone() });
        }
    }
    let mut editor = Editor::new(&document);
    editor.insert_stories(None, &added)?;
    Ok(editor.finish())
}

/// The list without these stories.
pub fn without_stories(text: &str, ids: &BTreeSet<&StoryId>) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let mut editor = Editor::new(&document);
    editor.remove_stories(ids);
    Ok(editor.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"project":"p","branchName":"b","description":"d","userStories":[
  {"id":"US-1","title":"t","acceptanceCriteria":["c"],"priority":2.5,"passes":true,
   "reviewStatus":"approved","reviewCount":1,"reviewFeedback":"","notes":"n"}
]}"#;

    fn draft(id: &str) -> StoryDraft {
        StoryDraft::new(
            StoryId::new(id).unwrap(),
            "Round \"sums\"".into(),
            "From a review.".into(),
            vec!["Sums are rounded once.".into()],
        )
    }

    #[test]
    fn a_draft_becomes_an_open_story_at_the_end_and_is_added_once() {
        let urgent = StoryDraft { priority: Some(1.into()), ..draft("FR-002") };
        let drafts = [draft("FR-001"), urgent, draft("FR-001")];
        let text = with_new_stories(LIST, &drafts).unwrap();
        let list = inspect(text.as_bytes()).accepted().unwrap();
        let found: Vec<_> = list.stories.iter().map(|it| (it.id.as_str(), it.priority)).collect();
        assert_eq!(found, [("US-1", 2.5), ("FR-001", 2.5), ("FR-002", 1.0)]);
        let added = &list.stories[1];
        assert_eq!(added.title, "Round \"sums\"");
        assert_eq!(added.acceptance_criteria, ["Sums are rounded once."]);
        assert_eq!(added.state(), crate::StoryState::FRESH);
        assert!(text.starts_with(LIST.strip_suffix("\n]}").unwrap()), "no other byte changes");
        assert_eq!(with_new_stories(&text, &drafts).unwrap(), text);
    }

    #[test]
    fn an_empty_list_gets_all_drafts_and_stories_can_be_removed() {
        let text = without_stories(LIST, &[&StoryId::new("US-1").unwrap()].into()).unwrap();
        let text = with_new_stories(&text, &[draft("A"), draft("B")]).unwrap();
        let list = inspect(text.as_bytes()).accepted().unwrap();
        let ids: Vec<&str> = list.stories.iter().map(|story| story.id.as_str()).collect();
        assert_eq!(ids, ["A", "B"]);
    }
}
