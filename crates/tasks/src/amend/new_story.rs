//! A story that an amendment adds, in the form of the task list.

use json_reader::BOOL;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value, json};

use super::allowed_fields::{none_of_others, only_known};
use crate::StoryId;
use crate::field_digests::{PROOF, SOURCE};
use crate::leaves::{HEADLINE, POSITIVE, PRIORITY, SENTENCE, SKILL_NAME, STORY_ID};
use crate::list::Story;
use crate::problem::ObjectReader;
use crate::story_reader::read_criteria;

#[derive(Debug, Clone)]
pub(super) struct NewStory {
    pub(super) id: StoryId,
    pub(super) split_from: Option<StoryId>,
    pub(super) priority: Option<Number>,
    fields: Vec<Field>,
}

/// A field name of the task list with its value; `None` is not written.
type Field = (&'static str, Option<Value>);

impl NewStory {
    /// `None` if the id is missing. Every missing field is reported.
    pub(super) fn read(mut reader: ObjectReader<'_, '_>) -> Result<Option<Self>, String> {
        none_of_others(reader.entries)?;
        let id = reader.required("id", STORY_ID);
        let title = reader.required("title", HEADLINE).map(Value::from);
        let description = reader.required("description", SENTENCE).map(Value::from);
        let criteria = read_criteria(&mut reader, "acceptance_criteria").map(Value::from);
        let priority = reader.optional("priority", PRIORITY);
        let depends_on = reader.items("depends_on", STORY_ID).unwrap_or_default();
        let split_from = reader.optional("split_from", STORY_ID);
        let skills = reader.items("skills", SKILL_NAME).filter(|names| !names.is_empty());
        let needs_docs = reader.optional("needs_docs", BOOL).map(Value::from);
        let libraries = reader.items("libraries", SENTENCE).filter(|names| !names.is_empty());
        let max_turns = reader.optional("max_turns", POSITIVE).map(Value::from);
        only_known("a task", reader.entries, &reader.known)?;
        let fields = vec![
            ("id", id.as_ref().map(|id| json!(id))),
            ("title", title),
            ("description", description),
            ("acceptanceCriteria", criteria),
            ("priority", None),
            ("passes", Some(false.into())),
            ("reviewStatus", Some(Value::Null)),
            ("reviewCount", Some(0.into())),
            ("reviewFeedback", Some("".into())),
            ("notes", Some("".into())),
            ("dependsOn", Some(json!(depends_on))),
            ("splitFrom", split_from.as_ref().map(|id| json!(id))),
            ("skills", skills.map(|names| json!(names))),
            ("needsDocs", needs_docs),
            ("libraries", libraries.map(Value::from)),
            ("maxTurns", max_turns),
        ];
        Ok(id.map(|id| Self { id, split_from, priority, fields }))
    }

    /// A part of a split story needs proof as that story did, and has the same source.
    pub(super) fn inheriting(mut self, origin: Option<&Story>) -> Self {
        let Some(Story { proof, source, .. }) = origin else { return self };
        self.fields.push((PROOF, proof.map(|proof| json!(proof))));
        self.fields.push((SOURCE, source.as_ref().map(|source| json!(source))));
        self
    }

    /// Uses its own priority, else `priority`, else the default.
    pub(super) fn with_priority(&self, priority: Option<Number>) -> Self {
        let mut story = self.clone();
        let priority = self.priority.clone().or(priority).unwrap_or_else(|| 1.into());
        for (_, value) in story.fields.iter_mut().filter(|(name, _)| *name == "priority") {
            *value = Some(priority.clone().into());
        }
        story
    }
}

impl Serialize for NewStory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let set = self.fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        serializer.collect_map(set)
    }
}
