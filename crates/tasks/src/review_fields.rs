//! The four fields of the review cycle, and how to set them and the notes in the text of a list.

use serde_json::{Value, json};

use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::list::Story;
use crate::{StoryId, StoryState};

/// The review state of a story with its feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFields {
    pub state: StoryState,
    pub feedback: String,
}

impl ReviewFields {
    /// Their JSON names.
    pub(crate) const NAMES: [&str; 4] = ["passes", "reviewStatus", "reviewCount", "reviewFeedback"];

    pub fn of(story: &Story) -> Self {
        Self { state: story.state(), feedback: story.review_feedback.clone() }
    }

    /// The initial state of every story.
    pub fn fresh() -> Self {
        Self { state: StoryState::FRESH, feedback: String::new() }
    }

    pub(crate) fn write(&self, id: &StoryId, editor: &mut Editor<'_, '_>) -> Result<(), EditError> {
        let mut fields = Self::NAMES.into_iter().zip(self.values());
        fields.try_for_each(|(name, value)| editor.set(id, name, &value.to_string()))
    }

    /// In the order of the names.
    pub(crate) fn values(&self) -> [Value; 4] {
        let StoryState { passes, review_status, review_count } = self.state;
        [json!(passes), json!(review_status), json!(review_count), json!(self.feedback)]
    }
}

/// Returns the text with the review fields of `story` set, otherwise unchanged byte for byte. Only
/// the runner uses it.
pub fn with_review_fields(
    text: &str,
    story: &StoryId,
    fields: &ReviewFields,
) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let mut editor = Editor::new(&document);
    fields.write(story, &mut editor)?;
    Ok(editor.finish())
}

/// Returns the text with the notes of `story` replaced, otherwise unchanged byte for byte.
pub fn with_notes(text: &str, story: &StoryId, notes: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let mut editor = Editor::new(&document);
    editor.set(story, "notes", &json!(notes).to_string())?;
    Ok(editor.finish())
}

/// Returns the text with the review fields and the notes that `story` has in another version of the list, otherwise
/// unchanged byte for byte.
pub fn with_progress_of(text: &str, story: &Story) -> Result<String, EditError> {
    let text = with_review_fields(text, &story.id, &ReviewFields::of(story))?;
    with_notes(&text, &story.id, &story.notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_notes_of_that_story_change() {
        let text =
            r#"{"project":"p","x":1,"userStories":[{"id":"A","notes":"old","y":[ ]},{"id":"B"}]}"#;
        let id = |id| StoryId::new(id).unwrap();
        assert_eq!(
            with_notes(text, &id("A"), "new \"1\"").unwrap(),
            text.replace("\"old\"", r#""new \"1\"""#)
        );
        let added = with_notes(text, &id("B"), "n").unwrap();
        assert!(added.contains(r#""notes":"n""#) || added.contains(r#""notes": "n""#), "{added}");
        assert!(with_notes(text, &id("C"), "n").is_err());
    }

    #[test]
    fn the_progress_of_one_story_is_taken_over() {
        let list = |status: &str, notes: &str| {
            let story = |id: &str, status: &str, notes: &str| {
                format!(
                    r#"{{"id":"{id}","title":"t","acceptanceCriteria":["c"],"priority":1,"passes":false,
                    "reviewStatus":"{status}","reviewCount":1,"reviewFeedback":"f","notes":"{notes}"}}"#
                )
            };
            let stories = [story("A", "approved", "a"), story("B", status, notes)].join(",");
            format!(
                r#"{{"project":"p","branchName":"b","description":"d","userStories":[{stories}]}}"#
            )
        };
        let work = list("needs_review", "new").replace("\"a\"", "\"other\"");
        let work = crate::inspect(work.as_bytes()).list.unwrap();
        let merged = with_progress_of(&list("changes_requested", "old"), &work.stories[1]).unwrap();
        assert_eq!(merged, list("needs_review", "new"));
    }
}
