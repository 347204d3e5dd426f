//! The findings of `plan_lint` about a plan, as text and as JSON.

mod read;
mod render;

use std::collections::BTreeMap;

use plan_lint::{Code, Finding, Severity};
use serde::Serialize;
use tasks::{FieldPath, Inspection, ProblemPlace, StoryId};

use crate::command_error::{hint, message};

pub(crate) use render::render;

/// Version of the JSON output.
const FORMAT: u32 = 1;

#[derive(Debug)]
pub(crate) struct Validation {
    /// Relative to the project root.
    file: String,
    /// Stories in the file, readable or not.
    stories: usize,
    titles: BTreeMap<StoryId, String>,
    findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValidationVerdict {
    Ok,
    Warnings,
    Errors,
}

/// The JSON output, as documented in docs/validate.md.
#[derive(Debug, Serialize)]
pub(crate) struct ValidationJson<'a> {
    v: u32,
    file: &'a str,
    verdict: ValidationVerdict,
    errors: usize,
    warnings: usize,
    stories: usize,
    findings: Vec<FindingJson<'a>>,
}

/// The JSON output if there is no task list.
#[derive(Debug, Serialize)]
pub(crate) struct ValidationFailure {
    v: u32,
    error: String,
    hint: Option<String>,
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
    pub(crate) fn of(file: String, inspected: Inspection, findings: Vec<Finding>) -> Self {
        let stories = inspected.list.into_iter().flat_map(|list| list.stories);
        let titles = stories.map(|story| (story.id, story.title)).collect();
        Self { file, stories: inspected.stories, titles, findings }
    }

    /// For a list that exists but was not read.
    pub(crate) fn unread(file: String, why: Finding) -> Self {
        Self { file, stories: 0, titles: BTreeMap::new(), findings: vec![why] }
    }

    pub(crate) fn verdict(&self) -> ValidationVerdict {
        match (self.count(Severity::Error), self.count(Severity::Warning)) {
            (0, 0) => ValidationVerdict::Ok,
            (0, _) => ValidationVerdict::Warnings,
            _ => ValidationVerdict::Errors,
        }
    }

    pub(crate) fn to_json(&self) -> ValidationJson<'_> {
        ValidationJson {
            v: FORMAT,
            file: &self.file,
            verdict: self.verdict(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            stories: self.stories,
            findings: self.findings.iter().map(FindingJson::of).collect(),
        }
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }
}

impl ValidationFailure {
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        Self { v: FORMAT, error: message(error), hint: hint(error) }
    }
}

impl<'a> FindingJson<'a> {
    fn of(finding: &'a Finding) -> Self {
        let (field, index) = match finding.field {
            FieldPath::Whole => (None, None),
            FieldPath::Named(name) => (Some(name), None),
            FieldPath::Item(name, index) => (Some(name), Some(index)),
        };
        let position = match finding.place {
            ProblemPlace::Story { position, .. } => Some(position),
            ProblemPlace::TopLevel | ProblemPlace::Part(_) => None,
        };
        Self {
            code: finding.code,
            severity: finding.severity(),
            story: finding.story(),
            position,
            field,
            index,
            message: &finding.message,
            fix: &finding.fix,
        }
    }
}
