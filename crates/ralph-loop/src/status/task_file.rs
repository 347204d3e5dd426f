//! The task list as `status` finds it: there or not, good or not.

use bounded_read::FileError;
use project::{LARGEST_TASK_LIST, Layout};
use tasks::{Inspection, TaskList};

use super::TaskListState;

#[derive(Debug)]
pub enum TaskFile {
    Missing,
    Unreadable { why: String },
    Inspected(Inspection),
}

impl TaskFile {
    pub fn read(layout: &Layout) -> Self {
        match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
            Ok(bytes) => Self::Inspected(tasks::inspect(&bytes)),
            Err(FileError::Absent) => Self::Missing,
            Err(error) => {
                Self::Unreadable { why: format!("{} cannot be read: {error}", layout.tasks_name()) }
            }
        }
    }

    /// How many it has, as far as it can be read.
    pub(crate) fn stories(&self) -> usize {
        match self {
            Self::Inspected(Inspection { list: Some(list), .. }) => list.stories.len(),
            Self::Inspected(_) | Self::Missing | Self::Unreadable { .. } => 0,
        }
    }

    pub(super) fn into_parts(self) -> (TaskListState, Option<TaskList>, Vec<String>) {
        match self {
            Self::Missing => (TaskListState::Missing, None, Vec::new()),
            Self::Unreadable { why } => (TaskListState::Unreadable, None, vec![why]),
            Self::Inspected(Inspection { list, problems, .. }) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                match problems.is_empty() {
                    true => (TaskListState::Valid, list, problems),
                    false => (TaskListState::Invalid, list, problems),
                }
            }
        }
    }
}
