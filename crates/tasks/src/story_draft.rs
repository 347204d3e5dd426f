//! A story that is not in the task list yet: from an import, or from a finding of a review.

use serde::Serialize;
use serde_json::Number;

use crate::{SkillName, StoryId, StoryState};

/// It serializes in the form of the task list, whose schema it passes if it has a priority and criteria that are not
/// blank.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryDraft {
    pub id: StoryId,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    /// `None`: after the others.
    pub priority: Option<Number>,
    #[serde(flatten)]
    pub state: StoryState,
    pub review_feedback: String,
    pub notes: String,
    pub depends_on: Vec<StoryId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<SkillName>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_docs: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// The address of the issue, or the place in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl StoryDraft {
    /// A fresh story of which nothing is known but its text.
    pub fn new(id: StoryId, title: String, description: String, criteria: Vec<String>) -> Self {
        Self {
            id,
            title,
            description,
            acceptance_criteria: criteria,
            priority: None,
            state: StoryState::FRESH,
            review_feedback: String::new(),
            notes: String::new(),
            depends_on: Vec::new(),
            skills: Vec::new(),
            needs_docs: false,
            libraries: Vec::new(),
            max_turns: None,
            source: None,
        }
    }
}
