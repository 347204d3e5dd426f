//! The result of a draft, as text and as JSON.

use serde::Serialize;
use tasks::{StoryId, VerifyCommand};

use super::plan_files::PlanFiles;
use crate::report::{Align, Column, Line, Look, Role, count, table};
use crate::validate::Validation;

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

/// Serialized, it is the JSON output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftOutcome {
    v: u32,
    pub(super) result: DraftResult,
    pub(super) validation: Option<Validation>,
    stories: Vec<DraftedStory>,
    pub(super) verify_commands: Vec<VerifyCommand>,
    rounds: u64,
    /// Reverted changes to progress and to the user's PRD.
    restored: Vec<String>,
    /// Other files that the sessions changed, and checks that they removed.
    pub(super) warnings: Vec<String>,
    /// Where a discarded plan is saved.
    pub(super) drafts: Vec<String>,
    pub(super) commit: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DraftedStory {
    id: StoryId,
    title: String,
    criteria: usize,
    depends_on: Vec<StoryId>,
}

impl DraftOutcome {
    pub(super) fn new(result: DraftResult, files: &PlanFiles<'_>) -> Self {
        let list = files.list().map(|list| (list.stories, list.verify_commands));
        let (stories, verify_commands) = list.unwrap_or_default();
        let stories = stories.into_iter().map(|story| DraftedStory {
            id: story.id,
            title: story.title,
            criteria: story.acceptance_criteria.len(),
            depends_on: story.depends_on,
        });
        Self {
            v: FORMAT,
            result,
            validation: files.validation().ok(),
            stories: stories.collect(),
            verify_commands,
            rounds: files.assessed.saturating_sub(1),
            restored: files.restored.clone(),
            warnings: Vec::new(),
            drafts: Vec::new(),
            commit: None,
        }
    }

    /// The stories, the checks and the warnings.
    pub(super) fn render(&self, look: &Look) -> String {
        let stories = count(self.stories.len() as u64, "story", "stories");
        let rounds = match self.rounds {
            0 => String::new(),
            rounds => format!(" after {}", count(rounds, "repair round", "repair rounds")),
        };
        let mut lines = vec![
            Line::empty(),
            Line::empty().with(Role::Strong, format!("The plan: {stories}{rounds}")),
        ];
        if !self.stories.is_empty() {
            lines.push(Line::empty());
            lines.extend(table(&COLUMNS, &self.rows(), look, 2));
        }
        lines.push(Line::empty());
        lines.push(match &self.verify_commands[..] {
            [] => Line::empty().with(Role::Warn, "checks: none, reviews alone decide"),
            checks => {
                let commands = checks.iter().map(|check| check.run.as_str()).collect::<Vec<_>>();
                Line::empty().with(Role::Plain, format!("checks: {}", commands.join(", ")))
            }
        });
        let restored = self.restored.iter().map(|text| format!("restored: {text}"));
        for text in restored.chain(self.warnings.iter().cloned()) {
            let mark = Line::empty().with(Role::Warn, look.marks.warning);
            lines.push(mark.with(Role::Plain, format!(" {}", sanitize::line(&text))));
        }
        lines.into_iter().map(|line| line.paint(&look.palette) + "\n").collect()
    }

    fn rows(&self) -> Vec<Vec<(Role, String)>> {
        let row = |story: &DraftedStory| {
            let waits: Vec<&str> = story.depends_on.iter().map(StoryId::as_str).collect();
            vec![
                (Role::Strong, story.id.to_string()),
                (Role::Plain, story.title.clone()),
                (Role::Plain, story.criteria.to_string()),
                (Role::Dim, if waits.is_empty() { "-".to_owned() } else { waits.join(", ") }),
            ]
        };
        self.stories.iter().map(row).collect()
    }
}
