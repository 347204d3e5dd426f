//! The result of a draft, as text and as JSON.

use serde::Serialize;
use tasks::{Story, StoryId, TaskList};

use crate::report::{Align, Column, Line, Look, Role, count, table};
use crate::validate::{Validation, ValidationJson};

/// Version of the JSON output.
const FORMAT: u32 = 1;

const COLUMNS: [Column; 4] = [
    Column { name: "Story", align: Align::Left, optional: false },
    Column { name: "Title", align: Align::Flexible, optional: false },
    Column { name: "Criteria", align: Align::Right, optional: true },
    Column { name: "Depends on", align: Align::Left, optional: true },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DraftResult {
    /// The plan is valid.
    Planned,
    /// The session wrote no plan.
    Unchanged,
    /// Errors remain; the old files are restored.
    Errors,
    /// The run ended before the plan was valid; the old files are restored.
    Stopped,
}

pub(super) struct DraftOutcome {
    pub(super) ended: DraftResult,
    pub(super) validation: Option<Validation>,
    pub(super) list: Option<TaskList>,
    pub(super) rounds: u64,
    /// Reverted changes to progress and to the user's PRD.
    pub(super) restored: Vec<String>,
    /// Other files that the sessions changed, and checks that they removed.
    pub(super) warnings: Vec<String>,
    /// Where a discarded plan is saved.
    pub(super) drafts: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftOutcomeJson<'a> {
    v: u32,
    result: DraftResult,
    validation: Option<ValidationJson<'a>>,
    stories: Vec<StoryJson<'a>>,
    verify_commands: &'a [String],
    rounds: u64,
    restored: &'a [String],
    warnings: &'a [String],
    drafts: &'a [String],
    commit: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StoryJson<'a> {
    id: &'a StoryId,
    title: &'a str,
    criteria: usize,
    depends_on: &'a [StoryId],
}

impl DraftOutcome {
    pub(super) fn to_json<'a>(&'a self, commit: Option<&'a str>) -> DraftOutcomeJson<'a> {
        DraftOutcomeJson {
            v: FORMAT,
            result: self.ended,
            validation: self.validation.as_ref().map(Validation::to_json),
            stories: self.stories().iter().map(StoryJson::of).collect(),
            verify_commands: self.checks(),
            rounds: self.rounds,
            restored: &self.restored,
            warnings: &self.warnings,
            drafts: &self.drafts,
            commit,
        }
    }

    /// The stories, the checks and the warnings.
    pub(super) fn render(&self, look: &Look) -> String {
        let stories = count(self.stories().len() as u64, "story", "stories");
        let rounds = match self.rounds {
            0 => String::new(),
            rounds => format!(" after {}", count(rounds, "repair round", "repair rounds")),
        };
        let mut lines = vec![
            Line::empty(),
            Line::empty().with(Role::Strong, format!("The plan: {stories}{rounds}")),
        ];
        if !self.stories().is_empty() {
            lines.push(Line::empty());
            lines.extend(table(&COLUMNS, &self.rows(), look, 2));
        }
        lines.push(Line::empty());
        lines.push(match self.checks() {
            [] => Line::empty().with(Role::Warn, "checks: none, reviews alone decide"),
            checks => Line::empty().with(Role::Plain, format!("checks: {}", checks.join(", "))),
        });
        let restored = self.restored.iter().map(|text| format!("restored: {text}"));
        for text in restored.chain(self.warnings.iter().cloned()) {
            let mark = Line::empty().with(Role::Warn, look.marks.warning);
            lines.push(mark.with(Role::Plain, format!(" {}", sanitize::line(&text))));
        }
        lines.into_iter().map(|line| line.paint(&look.palette) + "\n").collect()
    }

    fn stories(&self) -> &[Story] {
        self.list.as_ref().map_or(&[], |list| &list.stories)
    }

    fn checks(&self) -> &[String] {
        self.list.as_ref().map_or(&[], |list| &list.verify_commands)
    }

    fn rows(&self) -> Vec<Vec<(Role, String)>> {
        let row = |story: &Story| {
            let waits: Vec<&str> = story.depends_on.iter().map(StoryId::as_str).collect();
            vec![
                (Role::Strong, story.id.to_string()),
                (Role::Plain, story.title.clone()),
                (Role::Plain, story.acceptance_criteria.len().to_string()),
                (Role::Dim, if waits.is_empty() { "-".to_owned() } else { waits.join(", ") }),
            ]
        };
        self.stories().iter().map(row).collect()
    }
}

impl<'a> StoryJson<'a> {
    fn of(story: &'a Story) -> Self {
        Self {
            id: &story.id,
            title: &story.title,
            criteria: story.acceptance_criteria.len(),
            depends_on: &story.depends_on,
        }
    }
}
