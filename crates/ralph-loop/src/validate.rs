//! What was found about a plan, for people and for machines. What is wrong with it is told by
//! `plan_check`; here is how it reads.

mod read;
mod render;

use std::collections::BTreeMap;

use plan_lint::{Code, Finding, Severity};
use serde::Serialize;
use tasks::{FieldPath, Inspection, Place, StoryId};

use crate::command_error::{hint, message};

pub(crate) use render::render;

/// Of what `--json` prints.
const FORMAT: u32 = 1;

#[derive(Debug)]
pub(crate) struct Validation {
    /// From the project's root.
    file: String,
    /// Stories in the file, readable or not.
    stories: usize,
    titles: BTreeMap<StoryId, String>,
    findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Ok,
    Warnings,
    Errors,
}

/// As docs/validate.md promises it.
#[derive(Debug, Serialize)]
pub(crate) struct Wire<'a> {
    v: u32,
    file: &'a str,
    verdict: Verdict,
    errors: usize,
    warnings: usize,
    stories: usize,
    findings: Vec<WireFinding<'a>>,
}

/// What `--json` prints where there is nothing to judge.
#[derive(Debug, Serialize)]
pub(crate) struct NotRead {
    v: u32,
    error: String,
    hint: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireFinding<'a> {
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

    /// Of a list that is there and was not read.
    pub(crate) fn unread(file: String, why: Finding) -> Self {
        Self { file, stories: 0, titles: BTreeMap::new(), findings: vec![why] }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match (self.count(Severity::Error), self.count(Severity::Warning)) {
            (0, 0) => Verdict::Ok,
            (0, _) => Verdict::Warnings,
            _ => Verdict::Errors,
        }
    }

    pub(crate) fn wire(&self) -> Wire<'_> {
        Wire {
            v: FORMAT,
            file: &self.file,
            verdict: self.verdict(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            stories: self.stories,
            findings: self.findings.iter().map(WireFinding::of).collect(),
        }
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }
}

impl NotRead {
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        Self { v: FORMAT, error: message(error), hint: hint(error) }
    }
}

impl<'a> WireFinding<'a> {
    fn of(finding: &'a Finding) -> Self {
        let (field, index) = match finding.field {
            FieldPath::Whole => (None, None),
            FieldPath::Named(name) => (Some(name), None),
            FieldPath::Item(name, index) => (Some(name), Some(index)),
        };
        let position = match finding.place {
            Place::Story { position, .. } => Some(position),
            Place::TopLevel | Place::Part(_) => None,
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
