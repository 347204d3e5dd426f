//! The changes to a story that an amendment asks for.

use serde_json::{Number, Value};

use super::proposal::{none_of_others, only_known};
use super::refused::RefusedAmendment;
use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::indentation::Indentation;
use crate::json::Entries;
use crate::problem::{ProblemPlace, Problems};
use crate::reader::{FromJson, Headline, ObjectReader, Positive, Sentence};
use crate::story_reader::read_criteria;
use crate::{SkillName, StoryId};

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
    pub(super) fn read(
        changes: &Entries<'_>,
        problems: &mut Problems,
    ) -> Result<Self, RefusedAmendment> {
        none_of_others(changes)?;
        only_known("changes", changes, FIELDS)?;
        let mut reader = ObjectReader::new(changes, ProblemPlace::Part("changes"), problems);
        let criteria = match reader.is_set("acceptance_criteria") {
            true => read_criteria(&mut reader, "acceptance_criteria"),
            false => None,
        };
        let criteria_value = criteria.clone().map(Value::from);
        let fields = [
            ("title", one(&mut reader, "title", |Headline(text)| text.into())),
            ("description", one(&mut reader, "description", |Sentence(text)| text.into())),
            ("acceptanceCriteria", criteria_value),
            ("notes", one(&mut reader, "notes", |text: String| text.into())),
            ("priority", one(&mut reader, "priority", |number: Number| number.into())),
            ("dependsOn", many(&mut reader, "depends_on", |id: StoryId| id.as_str().into())),
            ("skills", many(&mut reader, "skills", |skill: SkillName| skill.as_str().into())),
            ("needsDocs", one(&mut reader, "needs_docs", |needed: bool| needed.into())),
            ("libraries", many(&mut reader, "libraries", |Sentence(name)| name.into())),
            ("maxTurns", one(&mut reader, "max_turns", |Positive(turns)| turns.into())),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Ok(Self { fields: fields.collect(), criteria })
    }

    /// Writes the fields whose value differs and returns their names.
    pub(super) fn write(
        &self,
        id: &StoryId,
        document: &Document<'_>,
        editor: &mut Editor<'_, '_>,
    ) -> Result<Vec<&'static str>, EditError> {
        let story = document.story(id)?;
        let indentation = Indentation::of_member(document.text, document.item(id)?, &story);
        let mut written = Vec::new();
        for (name, value) in &self.fields {
            let old = document.value(&story, name)?;
            if old.and_then(|text| serde_json::from_str(text).ok()).as_ref() != Some(value) {
                editor.set(id, name, &indentation.write(value)?)?;
                written.push(*name);
            }
        }
        Ok(written)
    }
}

fn one<T: FromJson>(
    reader: &mut ObjectReader<'_, '_, '_>,
    name: &'static str,
    value: impl FnOnce(T) -> Value,
) -> Option<Value> {
    reader.optional(name).map(value)
}

fn many<T: FromJson>(
    reader: &mut ObjectReader<'_, '_, '_>,
    name: &'static str,
    value: impl FnMut(T) -> Value,
) -> Option<Value> {
    let is_set = reader.is_set(name);
    is_set.then(|| reader.optional_items(name).into_iter().map(value).collect())
}
