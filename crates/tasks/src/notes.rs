//! Sets the notes of a story in the text of a task list.

use crate::StoryId;
use crate::document::{Document, EditError};
use crate::editor::Editor;

/// Returns the text with the notes of `story` replaced, otherwise unchanged byte for byte.
pub fn with_notes(text: &str, story: &StoryId, notes: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let mut editor = Editor::new(&document);
    editor.set(story, "notes", &serde_json::Value::from(notes).to_string())?;
    Ok(editor.finish())
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
}
