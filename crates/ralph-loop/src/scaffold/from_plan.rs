//! Imports a `plan.json` of ordered tasks into a task list.
//!
//! Pure: turns the bytes of the plan into stories, settings and remarks about values without a counterpart. The result
//! always passes the schema check of a task list.

mod plan_fields;
mod plan_task;
mod story_ids;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{Json, TEXT};
use run_options::ValidationStrategy;
use serde_json::Value;
use tasks::StoryDraft;

use super::imported::{Imported, PlanSettings, Remark};
use plan_fields::{At, POSITIVE, PlanFields, PlanProblems, unread, word, wrong};
use plan_task::{PlanTask, PlanTaskStatus};

/// Values of `validation_strategy`, and of the settings.
const VALIDATION: [(&str, ValidationStrategy); 3] = [
    ("strict", ValidationStrategy::Strict),
    ("lenient", ValidationStrategy::Lenient),
    ("tests_only", ValidationStrategy::TestsOnly),
];

/// Returns the plan, or all its problems at once.
pub(crate) fn read(bytes: &[u8]) -> Result<Imported, Vec<String>> {
    let object = serde_json::from_slice(bytes).map_err(|error| vec![not_a_plan(&error)])?;
    let plan = Json::from(&Value::Object(object));
    let mut problems = PlanProblems::default();
    let mut fields = PlanFields::new(plan.entries(), At::default(), &mut problems);
    let project = fields.optional("project", TEXT).filter(|name| !name.trim().is_empty());
    let branch = fields.optional("branch", TEXT).filter(|name| !name.trim().is_empty());
    if let Some(name) = branch.as_ref().filter(|name| !vcs::is_branch_name(name)) {
        wrong(&mut fields, "branch", "a valid git branch name", &Json::Text(name.clone()));
    }
    let maximum_iterations = fields.optional("max_iterations", POSITIVE);
    let validation = word(&mut fields, "validation_strategy", &VALIDATION);
    let tasks = plan_task::read_all(&mut fields);
    let unknown = unread(&fields);
    if !problems.0.is_empty() {
        return Err(problems.0);
    }

    let no_counterpart = |key: &str, of: &str| {
        Remark::new("unknownKey", key, format!("{key:?}{of} has no counterpart"))
    };
    let mut remarks: Vec<Remark> = unknown.iter().map(|key| no_counterpart(key, "")).collect();
    let mut tasks_with: BTreeMap<&str, usize> = BTreeMap::new();
    for key in tasks.iter().flat_map(|task| &task.unknown_keys) {
        *tasks_with.entry(key).or_default() += 1;
    }
    remarks.extend(tasks_with.into_iter().map(|(key, tasks)| {
        let s = if tasks == 1 { "" } else { "s" };
        no_counterpart(key, &format!(" of {tasks} task{s}"))
    }));
    if tasks.iter().any(|task| task.retries_counted) {
        let message = "retry_count has no counterpart: attempts start at 0".to_owned();
        remarks.push(Remark::new("retryCount", "retry_count", message));
    }
    let most_attempts = tasks.iter().filter_map(|task| task.max_retries).max();
    let settings = PlanSettings {
        maximum_iterations,
        most_attempts: most_attempts.map(|retries| retries.saturating_add(1)),
        validation,
    };
    let stories = stories(tasks, &mut remarks);
    let from = "the plan".to_owned();
    Imported { from, project, branch, settings, remarks, stories }.checked()
}

/// Not JSON, or not a JSON object.
fn not_a_plan(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // serde_json appends the place, which comes first here.
    let message = text.split(" at line ").next().unwrap_or_default();
    format!("line {}, column {}: {message}", error.line(), error.column())
}

fn stories(tasks: Vec<PlanTask>, remarks: &mut Vec<Remark>) -> Vec<StoryDraft> {
    let in_plan: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let ids = story_ids::of(&in_plan);
    for (from, to) in in_plan.iter().filter_map(|id| Some((id, ids.get(id.as_str())?))) {
        if from != to.as_str() {
            let message = format!("task {from:?} becomes story {to}");
            remarks.push(Remark::new("renamed", from, message));
        }
    }
    let last = plan_task::order_after_all(&tasks);
    let (skipped, kept): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| task.status == PlanTaskStatus::Skipped);
    let skipped: BTreeSet<&str> = skipped.iter().map(|task| task.id.as_str()).collect();
    remarks.extend(skipped.iter().map(|id| {
        Remark::new("skipped", id, format!("task {id:?} was skipped and is not imported"))
    }));
    kept.into_iter().filter_map(|task| task.into_story(&ids, &skipped, &last, remarks)).collect()
}
