//! Stories that a task list gets from elsewhere: a plan, the issues of a forge, or a Markdown file.
//!
//! Pure: the text of a new list, or of the existing one with the stories that it does not have yet.

mod additions;
#[cfg(test)]
mod tests;

use run_options::ValidationStrategy;
use serde::Serialize;
use tasks::{StoryDraft, VerifyCommand};

pub(super) use additions::{Additions, added_to};

/// What `init` imports.
#[derive(Debug, Clone)]
pub(crate) struct Imported {
    /// `the plan`, `the issues` or a file, for messages.
    pub(crate) from: String,
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) settings: PlanSettings,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) stories: Vec<StoryDraft>,
}

/// Values of a plan that belong into the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanSettings {
    pub(crate) maximum_iterations: Option<u64>,
    /// Attempts per story.
    pub(crate) most_attempts: Option<u64>,
    pub(crate) validation: Option<ValidationStrategy>,
}

/// Tells the user about a value that was changed or dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    /// For machines.
    kind: &'static str,
    /// The story, task, issue or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    pub(super) message: String,
}

impl Remark {
    /// The existing task list was kept.
    pub(super) fn list_kept() -> Self {
        let message = "the existing task list is kept; use --force to replace it".to_owned();
        Self { kind: "listKept", about: None, message }
    }

    pub(crate) fn new(kind: &'static str, about: &str, message: String) -> Self {
        Self { kind, about: Some(about.to_owned()), message }
    }
}

impl From<&forge::Note> for Remark {
    fn from(note: &forge::Note) -> Self {
        Self::new("notMapped", &note.about, note.to_string())
    }
}

impl Imported {
    /// Of issues or a Markdown file.
    pub(crate) fn of_forge(from: String, import: forge::Import) -> Self {
        let forge::Import { stories, notes } = import;
        let remarks = notes.iter().map(Remark::from).collect();
        let settings = PlanSettings::default();
        Self { from, project: None, branch: None, settings, remarks, stories }
    }

    /// The text of a new task list.
    pub(super) fn task_list(
        &self,
        project: &str,
        branch: &str,
        checks: &[VerifyCommand],
    ) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct List<'l> {
            #[serde(rename = "$schema")]
            schema: &'l str,
            project: &'l str,
            branch_name: &'l str,
            description: &'l str,
            verify_commands: &'l [VerifyCommand],
            user_stories: &'l [StoryDraft],
        }
        let list = List {
            schema: "./tasks.schema.json",
            project,
            branch_name: branch,
            description: "",
            verify_commands: checks,
            user_stories: &self.stories,
        };
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string_pretty(&list).unwrap_or_default() + "\n"
    }

    /// The check of the task list finds problems across stories, such as dependency cycles.
    pub(super) fn checked(self) -> Result<Self, Vec<String>> {
        let text = self.task_list("", "", &[]);
        match tasks::inspect(text.as_bytes()).accepted() {
            Ok(_) => Ok(self),
            Err(problems) => Err(problems.iter().map(ToString::to_string).collect()),
        }
    }
}
