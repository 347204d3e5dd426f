//! The task list as text and as parsed stories; corrections need both.

use bounded_read::{FileError, read_file};
use project::{LARGEST_TASK_LIST, Layout};
use tasks::{Inspection, TaskList};

use crate::RunError;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskText {
    pub(crate) text: String,
    pub(crate) list: TaskList,
}

impl TaskText {
    pub(crate) fn read(layout: &Layout) -> Result<Self, RunError> {
        let bytes = read_file(&layout.tasks(), LARGEST_TASK_LIST)
            .map_err(|error: FileError| RunError::TaskList { path: layout.tasks_name(), error })?;
        Self::accepted(layout, &bytes)
    }

    pub(crate) fn accepted(layout: &Layout, bytes: &[u8]) -> Result<Self, RunError> {
        Self::parse(bytes)
            .map_err(|problems| RunError::InvalidTaskList { path: layout.tasks_name(), problems })
    }

    /// The error has one line per problem.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Vec<String>> {
        match tasks::inspect(bytes) {
            Inspection { list: Some(list), problems, .. } if problems.is_empty() => {
                Ok(Self { text: String::from_utf8_lossy(bytes).into_owned(), list })
            }
            inspection => Err(inspection.problems.iter().map(ToString::to_string).collect()),
        }
    }
}
