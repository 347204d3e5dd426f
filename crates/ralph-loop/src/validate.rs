//! Reads a plan and collects the findings of `plan_lint` about it, as text and as JSON.

mod render;

use std::collections::BTreeMap;

use bounded_read::FileError;
use plan_lint::{Code, Finding, Origin, Plan, Prd, Severity};
use project::{LARGEST_TASK_LIST, Layout};
use serde::{Serialize, Serializer};
use settings::Settings;
use tasks::{FieldPath, StoryId, TaskList};

use crate::command_error::precondition;
use crate::{resolve, scaffold};

pub(crate) use render::render;

/// More than any session can process.
const LARGEST_PRD: u64 = 8 * 1024 * 1024;

/// Version of the JSON output.
const FORMAT: u32 = 1;

/// Serialized as documented in docs/validate.md.
#[derive(Debug, Serialize)]
pub(crate) struct Validation {
    v: u32,
    /// Relative to the project root.
    file: String,
    pub(crate) verdict: ValidationVerdict,
    errors: usize,
    warnings: usize,
    /// Stories in the file, readable or not.
    stories: usize,
    #[serde(serialize_with = "as_json")]
    pub(crate) findings: Vec<Finding>,
    #[serde(skip)]
    titles: BTreeMap<StoryId, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValidationVerdict {
    Ok,
    Warnings,
    Errors,
}

#[derive(Debug, Serialize)]
struct FindingJson<'a> {
    code: Code,
    severity: Severity,
    story: Option<&'a StoryId>,
    position: Option<usize>,
    field: Option<&'static str>,
    index: Option<usize>,
    message: &'a str,
    fix: &'a str,
}

impl Validation {
    /// Validates the task list and the PRD on disk.
    pub(crate) fn read(layout: &Layout, settings: &Settings) -> anyhow::Result<Self> {
        let file = layout.tasks_name();
        let bytes = match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
            Ok(bytes) => bytes,
            Err(FileError::TooLarge { bytes, limit }) => {
                return Ok(Self::new(file, 0, None, vec![plan_lint::too_large(bytes, limit)]));
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
                Ok(None) => Prd::Missing,
                Ok(Some(text)) => Prd::Text(text),
                Err(why) => Prd::Unreadable(why),
            },
            reviews: resolve::review_policy(settings),
            detected_checks: &scaffold::detected_checks(layout.root()),
            has_other_checks: !settings.guardrails.is_empty(),
            proof: settings.proof.stories,
        });
        Ok(Self::new(file, list.stories, list.list, findings))
    }

    /// `stories` is the number of stories in the file; `list` contains those that are readable.
    fn new(file: String, stories: usize, list: Option<TaskList>, findings: Vec<Finding>) -> Self {
        let is_error = |finding: &&Finding| finding.severity() == Severity::Error;
        let errors = findings.iter().filter(is_error).count();
        let warnings = findings.len() - errors;
        let verdict = match (errors, warnings) {
            (0, 0) => ValidationVerdict::Ok,
            (0, _) => ValidationVerdict::Warnings,
            _ => ValidationVerdict::Errors,
        };
        let readable = list.into_iter().flat_map(|list| list.stories);
        let titles = readable.map(|story| (story.id, story.title)).collect();
        Self { v: FORMAT, file, verdict, errors, warnings, stories, findings, titles }
    }
}

/// `None` if it is missing.
fn read_prd(layout: &Layout) -> Result<Option<String>, String> {
    let bytes = match bounded_read::read_file(&layout.ralph_dir().join("prd.md"), LARGEST_PRD) {
        Ok(bytes) => bytes,
        Err(FileError::Absent) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    match String::from_utf8(bytes) {
        // UTF-16 of ASCII text is valid UTF-8 with a zero byte after each character.
        Ok(text) if !text.contains('\0') => Ok(Some(text)),
        _ => Err("not UTF-8 text".into()),
    }
}

fn as_json<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(FindingJson::of))
}

impl<'a> FindingJson<'a> {
    fn of(finding: &'a Finding) -> Self {
        let (field, index) = match finding.field {
            FieldPath::Whole => (None, None),
            FieldPath::Named(name) => (Some(name), None),
            FieldPath::Item(name, index) => (Some(name), Some(index)),
        };
        Self {
            code: finding.code,
            severity: finding.severity(),
            story: finding.story(),
            position: Some(finding.position()).filter(|position| *position > 0),
            field,
            index,
            message: &finding.message,
            fix: &finding.fix,
        }
    }
}
