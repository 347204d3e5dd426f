//! The changes to a story that an amendment asks for.

use json_reader::{BOOL, TEXT};
use serde_json::{Value, json};

use super::allowed_fields::{none_of_others, only_known};
use crate::StoryId;
use crate::document::{EditError, member};
use crate::editor::Editor;
use crate::indentation::Indentation;
use crate::leaves::{HEADLINE, POSITIVE, PRIORITY, SENTENCE, SKILL_NAME, STORY_ID};
use crate::problem::ObjectReader;
use crate::story_reader::read_criteria;

const FIELDS: &[&str] = &[
    "title",
    "description",
    "acceptance_criteria",
    "notes",
    "priority",
    "depends_on",
    "skills",
    "needs_docs",
    "libraries",
    "max_turns",
];

pub(super) struct Changes {
    /// Field names of the task list with their new values.
    fields: Vec<(&'static str, Value)>,
    /// The new criteria, for the rule that criteria must not be dropped.
    pub(super) criteria: Option<Vec<String>>,
}

impl Changes {
    pub(super) fn read(mut reader: ObjectReader<'_, '_>) -> Result<Self, String> {
        none_of_others(reader.entries)?;
        only_known("changes", reader.entries, FIELDS)?;
        let criteria = reader.set_entry("acceptance_criteria");
        let criteria = criteria.and_then(|_| read_criteria(&mut reader, "acceptance_criteria"));
        let fields = [
            ("title", reader.optional("title", HEADLINE).map(Value::from)),
            ("description", reader.optional("description", SENTENCE).map(Value::from)),
            ("acceptanceCriteria", criteria.clone().map(Value::from)),
            ("notes", reader.optional("notes", TEXT).map(Value::from)),
            ("priority", reader.optional("priority", PRIORITY).map(Value::from)),
            ("dependsOn", reader.items("depends_on", STORY_ID).map(|ids| json!(ids))),
            ("skills", reader.items("skills", SKILL_NAME).map(|names| json!(names))),
            ("needsDocs", reader.optional("needs_docs", BOOL).map(Value::from)),
            ("libraries", reader.items("libraries", SENTENCE).map(Value::from)),
            ("maxTurns", reader.optional("max_turns", POSITIVE).map(Value::from)),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Ok(Self { fields: fields.collect(), criteria })
    }

    /// Writes the fields whose value differs and returns their names.
    pub(super) fn write(
        &self,
        id: &StoryId,
        editor: &mut Editor<'_, '_>,
    ) -> Result<Vec<&'static str>, EditError> {
        let document = editor.document;
        let story = document.object(Some(id))?;
        let indentation = Indentation::of_member(document.text, document.item(id)?, &story);
        let mut written = Vec::new();
        for (name, value) in &self.fields {
            let old = member(&story, name)?.map(|member| &document.text[member.value.clone()]);
            if old.and_then(|text| serde_json::from_str(text).ok()).as_ref() != Some(value) {
                editor.set(id, name, &indentation.write(value)?)?;
                written.push(*name);
            }
        }
        Ok(written)
    }
}
