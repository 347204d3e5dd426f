//! A story that an amendment adds, in the form of the task list.

use json_reader::BOOL;
use serde::Serialize;
use serde_json::Number;

use super::proposal::{none_of_others, only_known};
use super::refused::RefusedAmendment;
use crate::leaves::{HEADLINE, POSITIVE, PRIORITY, SENTENCE, SKILL_NAME, STORY_ID};
use crate::problem::ObjectReader;
use crate::story_reader::read_criteria;
use crate::{SkillName, StoryId, StoryState};

const FIELDS: &[&str] = &[
    "id",
    "title",
    "description",
    "acceptance_criteria",
    "priority",
    "depends_on",
    "split_from",
    "skills",
    "needs_docs",
    "libraries",
    "max_turns",
];

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NewStory {
    pub(super) id: StoryId,
    title: String,
    description: String,
    acceptance_criteria: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) priority: Option<Number>,
    #[serde(flatten)]
    state: StoryState,
    review_feedback: &'static str,
    notes: &'static str,
    depends_on: Vec<StoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) split_from: Option<StoryId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<SkillName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_docs: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    libraries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_turns: Option<u64>,
}

impl NewStory {
    /// `None` if a required field is missing, which is reported.
    pub(super) fn read(mut fields: ObjectReader<'_, '_>) -> Result<Option<Self>, RefusedAmendment> {
        none_of_others(fields.entries)?;
        only_known("a task", fields.entries, FIELDS)?;
        let id = fields.required("id", STORY_ID);
        let title = fields.required("title", HEADLINE);
        let description = fields.required("description", SENTENCE);
        let acceptance_criteria = read_criteria(&mut fields, "acceptance_criteria");
        let priority = fields.optional("priority", PRIORITY);
        let depends_on = fields.items("depends_on", STORY_ID).unwrap_or_default();
        let split_from = fields.optional("split_from", STORY_ID);
        let skills = fields.items("skills", SKILL_NAME).unwrap_or_default();
        let needs_docs = fields.optional("needs_docs", BOOL);
        let libraries = fields.items("libraries", SENTENCE).unwrap_or_default();
        let max_turns = fields.optional("max_turns", POSITIVE);
        let (Some(id), Some(title), Some(description)) = (id, title, description) else {
            return Ok(None);
        };
        Ok(acceptance_criteria.map(|acceptance_criteria| Self {
            id,
            title,
            description,
            acceptance_criteria,
            priority,
            state: StoryState::FRESH,
            review_feedback: "",
            notes: "",
            depends_on,
            split_from,
            skills,
            needs_docs,
            libraries,
            max_turns,
        }))
    }

    /// Uses its own priority, else `priority`, else the default.
    pub(super) fn with_priority(&self, priority: Option<Number>) -> Self {
        let priority = self.priority.clone().or(priority).unwrap_or_else(|| 1.into());
        Self { priority: Some(priority), ..self.clone() }
    }
}
