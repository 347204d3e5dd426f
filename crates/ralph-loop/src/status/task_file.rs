//! The task list for `status`: missing or not, valid or not, verified or not.

use bounded_read::FileError;
use engine::{BranchList, JudgedList, UnjudgedList};
use project::{LARGEST_TASK_LIST, Layout};
use serde::Serialize;
use tasks::{Inspection, TaskList};

use super::TaskListState;
use crate::scaffold::is_untouched_template;

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a command holds one of them")]
pub(crate) enum TaskFile {
    Missing,
    Unreadable { why: String },
    Inspected(Inspection),
}

/// Whether a runner verified the list that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum Judged {
    Yes,
    /// No run has verified a list here.
    Unknown,
    /// It is on the branch of the last run, which is not merged into the user's work tree.
    OnBranch {
        branch: String,
    },
    /// The list was changed after it was verified, while no iteration ran.
    Edited,
    /// The list from before the iteration, whose changes are not verified yet.
    Before {
        iteration: u64,
    },
}

impl TaskFile {
    /// The list on disk, or the one before an iteration that is not verified yet, or the one on the branch of a run in
    /// clones.
    pub(crate) fn judged(layout: &Layout) -> (Self, Judged) {
        match engine::branch_list(layout) {
            Some(BranchList::Unmerged { branch, list }) => {
                return (Self::Inspected(tasks::inspect(&list)), Judged::OnBranch { branch });
            }
            Some(BranchList::Merged { is_edited: true }) => {
                return (Self::read(layout), Judged::Edited);
            }
            Some(BranchList::Merged { is_edited: false }) => {
                return (Self::read(layout), Judged::Yes);
            }
            None => {}
        }
        match engine::judged_list(layout) {
            JudgedList::OnDisk => (Self::read(layout), Judged::Yes),
            JudgedList::Unknown => (Self::read(layout), Judged::Unknown),
            JudgedList::Edited => (Self::read(layout), Judged::Edited),
            JudgedList::Unjudged(UnjudgedList { iteration, before }) => {
                let lost = || Self::Unreadable {
                    why: format!(
                        "{} is not verified yet, and the task list from before iteration {iteration} is missing",
                        layout.tasks_name()
                    ),
                };
                let before = before.map(|bytes| Self::Inspected(tasks::inspect(&bytes)));
                (before.unwrap_or_else(lost), Judged::Before { iteration })
            }
        }
    }

    pub(crate) fn read(layout: &Layout) -> Self {
        match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
            Ok(bytes) => Self::Inspected(tasks::inspect(&bytes)),
            Err(FileError::Absent) => Self::Missing,
            Err(error) => {
                Self::Unreadable { why: format!("cannot read {}: {error}", layout.tasks_name()) }
            }
        }
    }

    /// 0 if the list cannot be read.
    pub(crate) fn stories(&self) -> usize {
        self.list().map_or(0, |list| list.stories.len())
    }

    /// Empty if the list cannot be read.
    pub(crate) fn verify_commands(&self) -> Vec<String> {
        let checks = self.list().into_iter().flat_map(|list| &list.verify_commands);
        checks.map(|check| check.run.clone()).collect()
    }

    /// `None` if the list cannot be read.
    pub(crate) fn list(&self) -> Option<&TaskList> {
        match self {
            Self::Inspected(Inspection { list, .. }) => list.as_ref(),
            Self::Missing | Self::Unreadable { .. } => None,
        }
    }

    pub(super) fn into_parts(self) -> (TaskListState, Option<TaskList>, Vec<String>) {
        match self {
            Self::Missing => (TaskListState::Missing, None, Vec::new()),
            Self::Unreadable { why } => (TaskListState::Unreadable, None, vec![why]),
            Self::Inspected(Inspection { list, problems, .. }) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                let state = match problems.is_empty() {
                    _ if list.as_ref().is_some_and(is_untouched_template) => TaskListState::Example,
                    true => TaskListState::Valid,
                    false => TaskListState::Invalid,
                };
                (state, list, problems)
            }
        }
    }
}
