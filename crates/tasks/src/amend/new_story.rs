//! A story that an amendment adds, in the form of the task list.

use serde::Serialize;
use serde_json::Number;

use super::proposal::{none_of_others, only_known};
use super::refused::RefusedAmendment;
use crate::json::Entries;
use crate::problem::{ProblemPlace, Problems};
use crate::reader::{Headline, ObjectReader, Positive, Sentence};
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
    /// `None` if a required field is missing; `problems` says which.
    pub(super) fn read(
        task: &Entries<'_>,
        problems: &mut Problems,
    ) -> Result<Option<Self>, RefusedAmendment> {
        none_of_others(task)?;
        only_known("a task", task, FIELDS)?;
        let mut fields = ObjectReader::new(task, ProblemPlace::Part("task"), problems);
        let id = fields.required("id");
        let title = fields.required("title");
        let description = fields.required("description");
        let acceptance_criteria = read_criteria(&mut fields, "acceptance_criteria");
        let priority = fields.optional("priority");
        let depends_on = fields.optional_items("depends_on");
        let split_from = fields.optional("split_from");
        let skills = fields.optional_items("skills");
        let needs_docs = fields.optional("needs_docs");
        let libraries = fields.optional_items("libraries");
        let max_turns = fields.optional("max_turns").map(|Positive(turns)| turns);
        let (Some(id), Some(Headline(title)), Some(Sentence(description))) =
            (id, title, description)
        else {
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
            libraries: libraries.into_iter().map(|Sentence(name)| name).collect(),
            max_turns,
        }))
    }

    /// Uses its own priority, else `priority`, else the default.
    pub(super) fn with_priority(&self, priority: Option<Number>) -> Self {
        let priority = self.priority.clone().or(priority).unwrap_or_else(|| 1.into());
        Self { priority: Some(priority), ..self.clone() }
    }
}
