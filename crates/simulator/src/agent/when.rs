//! The condition of a rule: every given part must match.

use serde::{Deserialize, Serialize};
use tasks::Mode;

use super::assignment::Assignment;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    mode: Option<Mode>,
    story: Option<String>,
    visit: Option<u64>,
    iteration: Option<u64>,
    prompt: Option<String>,
    arguments: Option<String>,
}

impl When {
    /// Always.
    pub fn any() -> Self {
        Self::default()
    }

    pub fn mode(mode: Mode) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }

    pub fn story(self, id: impl Into<String>) -> Self {
        Self { story: Some(id.into()), ..self }
    }

    /// The n-th session, from 1, that was given this story in this mode.
    pub fn visit(self, number: u64) -> Self {
        Self { visit: Some(number), ..self }
    }

    pub fn iteration(self, number: u64) -> Self {
        Self { iteration: Some(number), ..self }
    }

    /// The prompt contains this text. The prompt of an agent that does not read it is empty.
    pub fn prompt_contains(self, text: impl Into<String>) -> Self {
        Self { prompt: Some(text.into()), ..self }
    }

    /// The arguments, joined by spaces, contain this text.
    pub fn called_with(self, text: impl Into<String>) -> Self {
        Self { arguments: Some(text.into()), ..self }
    }

    pub(super) fn applies(
        &self,
        assignment: &Assignment,
        visit: u64,
        (prompt, arguments): (&str, &str),
    ) -> bool {
        let story = assignment.story.as_ref().map(|id| id.as_str());
        self.mode.is_none_or(|mode| assignment.mode == Some(mode))
            && self.story.as_deref().is_none_or(|id| story == Some(id))
            && self.visit.is_none_or(|number| visit == number)
            && self.iteration.is_none_or(|number| assignment.iteration == Some(number))
            && self.prompt.as_deref().is_none_or(|text| prompt.contains(text))
            && self.arguments.as_deref().is_none_or(|text| arguments.contains(text))
    }
}
