//! Converts a task of a plan to a story of a task list.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;
use tasks::{ReviewStatus, SkillName, StoryState};

use super::plan_task::{PlanTask, PlanTaskStatus};
use super::remark::Remark;
use super::story_ids::StoryIds;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportedStory {
    id: String,
    title: String,
    description: String,
    acceptance_criteria: Vec<String>,
    priority: Number,
    #[serde(flatten)]
    state: StoryState,
    review_feedback: &'static str,
    notes: &'static str,
    depends_on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<SkillName>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    needs_docs: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    libraries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_turns: Option<u64>,
}

/// Trusts the plan: the story is done and needs no review.
const DONE: StoryState =
    StoryState { passes: true, review_status: ReviewStatus::Approved, review_count: 0 };

impl ImportedStory {
    /// `last` is the priority of a task that has none.
    pub(super) fn of(
        task: &PlanTask,
        ids: &StoryIds<'_>,
        skipped: &BTreeMap<&str, &PlanTask>,
        last: &Number,
        remarks: &mut Vec<Remark>,
    ) -> Self {
        let id = ids.get(&task.id).cloned().unwrap_or_default();
        let (state, notes) = match task.status {
            PlanTaskStatus::Done => (DONE, "Done in the imported plan."),
            PlanTaskStatus::Failed => {
                remarks.push(Remark::Failed { story: id.clone() });
                (StoryState::FRESH, "Failed in the imported plan.")
            }
            PlanTaskStatus::Pending | PlanTaskStatus::InProgress | PlanTaskStatus::Skipped => {
                (StoryState::FRESH, "")
            }
        };
        if task.status == PlanTaskStatus::InProgress {
            remarks.push(Remark::InProgress { story: id.clone() });
        }
        if task.order.is_none() {
            remarks.push(Remark::NoOrder { story: id.clone(), priority: last.clone() });
        }
        Self {
            title: task.title.clone(),
            description: task.description.clone(),
            acceptance_criteria: criteria(task, &id, remarks),
            priority: task.order.clone().unwrap_or_else(|| last.clone()),
            state,
            review_feedback: "",
            notes,
            depends_on: dependencies(task, &id, ids, skipped, remarks),
            skills: skills(task, &id, remarks),
            needs_docs: task.needs_docs,
            libraries: task.libraries.clone(),
            max_turns: task.max_turns,
            id,
        }
    }
}

/// A story needs at least one criterion; the fallback is its description or title.
fn criteria(task: &PlanTask, id: &str, remarks: &mut Vec<Remark>) -> Vec<String> {
    let is_filled = |text: &&String| !text.trim().is_empty();
    let criteria: Vec<String> =
        task.acceptance_criteria.iter().filter(is_filled).cloned().collect();
    if !criteria.is_empty() {
        return criteria;
    }
    let (from, criterion) = match is_filled(&&task.description) {
        true => ("description", &task.description),
        false => ("title", &task.title),
    };
    remarks.push(Remark::NoCriteria { story: id.to_owned(), from });
    vec![criterion.clone()]
}

fn dependencies(
    task: &PlanTask,
    id: &str,
    ids: &StoryIds<'_>,
    skipped: &BTreeMap<&str, &PlanTask>,
    remarks: &mut Vec<Remark>,
) -> Vec<String> {
    let mut kept = Vec::new();
    for on in &task.depends_on {
        if skipped.contains_key(on.as_str()) {
            remarks.push(Remark::DependencyDropped { story: id.to_owned(), from: on.clone() });
        } else {
            kept.extend(ids.get(on).cloned());
        }
    }
    kept
}

fn skills(task: &PlanTask, id: &str, remarks: &mut Vec<Remark>) -> Vec<SkillName> {
    let mut kept = Vec::new();
    for skill in &task.skills {
        match SkillName::new(skill.as_str()) {
            Ok(name) => kept.push(name),
            Err(_) => {
                remarks.push(Remark::InvalidSkill { story: id.to_owned(), skill: skill.clone() });
            }
        }
    }
    kept
}
