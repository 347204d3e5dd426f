//! Reads the files of a plan and collects the findings.

use anyhow::Result;
use bounded_read::FileError;
use plan_lint::{Origin, Plan, Prd};
use project::{LARGEST_TASK_LIST, Layout};
use settings::Settings;

use super::Validation;
use crate::command_error::precondition;
use crate::{resolve, scaffold};

/// More than any session can process.
const LARGEST_PRD: u64 = 8 * 1024 * 1024;

impl Validation {
    /// Validates the task list and the PRD on disk.
    pub(crate) fn read(layout: &Layout, settings: &Settings) -> Result<Self> {
        let file = layout.tasks_name();
        let bytes = match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
            Ok(bytes) => bytes,
            Err(FileError::TooLarge { bytes, limit }) => {
                return Ok(Self::unread(file, plan_lint::too_large(bytes, limit)));
            }
            Err(FileError::Absent) => {
                return Err(precondition(
                    format!("{file} not found"),
                    "create it with `ralph-loop init`, then plan with `ralph-loop draft` or /ralph-plan",
                ));
            }
            Err(error) => {
                let what = format!("cannot read {file}: {error}");
                return Err(precondition(what, "replace it with a task list, then try again"));
            }
        };
        let list = tasks::inspect(&bytes);
        let is_template = list.list.as_ref().is_some_and(scaffold::is_untouched_template);
        let branch = list.list.as_ref().map(|list| list.branch_name.as_str());
        let prd = read_prd(layout);
        let findings = plan_lint::check(&Plan {
            list: &list,
            origin: if is_template { Origin::Template } else { Origin::Written },
            is_branch_valid: branch.is_none_or(vcs::is_branch_name),
            prd: match &prd {
                ReadPrd::Missing => Prd::Missing,
                ReadPrd::Text(text) => Prd::Text(text),
                ReadPrd::Unreadable(why) => Prd::Unreadable(why),
            },
            reviews: resolve::review_policy(settings),
            detected_checks: &scaffold::detected_checks(layout.root()),
            has_other_checks: !settings.guardrails.is_empty(),
        });
        Ok(Self::of(file, list, findings))
    }
}

enum ReadPrd {
    Missing,
    Text(String),
    Unreadable(String),
}

fn read_prd(layout: &Layout) -> ReadPrd {
    let bytes = match bounded_read::read_file(&layout.ralph_dir().join("prd.md"), LARGEST_PRD) {
        Ok(bytes) => bytes,
        Err(FileError::Absent) => return ReadPrd::Missing,
        Err(error) => return ReadPrd::Unreadable(error.to_string()),
    };
    match String::from_utf8(bytes) {
        // UTF-16 of ASCII text is valid UTF-8 with a zero byte after each character.
        Ok(text) if !text.contains('\0') => ReadPrd::Text(text),
        _ => ReadPrd::Unreadable("not UTF-8 text".into()),
    }
}
