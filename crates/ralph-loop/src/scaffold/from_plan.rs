//! Imports a `plan.json` of ordered tasks into a task list.
//!
//! Pure: turns the bytes of the plan into stories, settings and remarks about values without a counterpart. The result
//! always passes the schema check of a task list.

mod imported_story;
mod plan_fields;
mod plan_problem;
mod plan_task;
mod remark;
mod story_ids;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use run_options::ValidationStrategy;
use serde::Serialize;
use serde_json::{Map, Value};

pub use plan_problem::PlanProblem;
pub use remark::Remark;

use imported_story::ImportedStory;
use plan_fields::PlanFields;
use plan_task::{PlanTask, PlanTaskStatus};
use story_ids::StoryIds;

/// The parts of a plan that have a counterpart.
#[derive(Debug, Clone)]
pub struct ImportedPlan {
    pub project: Option<String>,
    pub branch: Option<String>,
    pub settings: PlanSettings,
    pub remarks: Vec<Remark>,
    stories: Vec<ImportedStory>,
}

/// Values of a plan that belong into the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanSettings {
    pub maximum_iterations: Option<u64>,
    /// Attempts per story.
    pub most_attempts: Option<u64>,
    pub validation: Option<ValidationStrategy>,
}

const KEYS: [&str; 5] = ["project", "branch", "max_iterations", "validation_strategy", "tasks"];

/// Returns the plan, or all its problems at once.
pub fn read(bytes: &[u8]) -> Result<ImportedPlan, Vec<PlanProblem>> {
    let object: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| vec![PlanProblem::not_a_plan(&error)])?;
    let mut problems = Vec::new();
    let mut remarks = Vec::new();
    let mut fields = PlanFields::new(&object, "", &mut problems);
    let project = fields.text("project").filter(|name| !name.trim().is_empty());
    let branch = fields.text("branch").filter(|name| !name.trim().is_empty());
    if let Some(name) = branch.as_ref().filter(|name| !vcs::is_branch_name(name)) {
        fields.report("branch", "a valid git branch name", &Value::from(name.as_str()));
    }
    let maximum_iterations = fields.positive("max_iterations");
    let validation = fields.word("validation_strategy", &VALIDATION);
    let tasks = plan_task::read_all(&mut fields);
    if !problems.is_empty() {
        return Err(problems);
    }

    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()));
    remarks.extend(unknown.map(|key| Remark::UnknownKey { key: key.clone(), tasks: 0 }));
    remarks.extend(unknown_task_keys(&tasks));
    if tasks.iter().any(|task| task.retries_counted) {
        remarks.push(Remark::RetryCount);
    }
    let stories = stories(&tasks, &mut remarks);
    let most_attempts = tasks.iter().filter_map(|task| task.max_retries).max();
    let settings = PlanSettings {
        maximum_iterations,
        most_attempts: most_attempts.map(|retries| retries.saturating_add(1)),
        validation,
    };
    let plan = ImportedPlan { project, branch, settings, remarks, stories };
    plan.checked()
}

/// Values of `validation_strategy`, and of the settings.
const VALIDATION: [(&str, ValidationStrategy); 3] = [
    ("strict", ValidationStrategy::Strict),
    ("lenient", ValidationStrategy::Lenient),
    ("tests_only", ValidationStrategy::TestsOnly),
];

impl ImportedPlan {
    /// Number of stories.
    pub fn len(&self) -> usize {
        self.stories.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stories.is_empty()
    }

    /// The text of the task list.
    pub fn task_list(&self, project: &str, branch: &str, verify_commands: &[String]) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct List<'l> {
            #[serde(rename = "$schema")]
            schema: &'l str,
            project: &'l str,
            branch_name: &'l str,
            description: &'l str,
            verify_commands: &'l [String],
            user_stories: &'l [ImportedStory],
        }
        let list = List {
            schema: "./tasks.schema.json",
            project,
            branch_name: branch,
            description: "",
            verify_commands,
            user_stories: &self.stories,
        };
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string_pretty(&list).unwrap_or_default() + "\n"
    }

    /// The check of the task list finds problems across stories, such as dependency cycles.
    fn checked(self) -> Result<Self, Vec<PlanProblem>> {
        let text = self.task_list("", "", &[]);
        match tasks::inspect(text.as_bytes()).accepted() {
            Ok(_) => Ok(self),
            Err(problems) => Err(problems.into_iter().map(PlanProblem::OfList).collect()),
        }
    }
}

fn stories(tasks: &[PlanTask], remarks: &mut Vec<Remark>) -> Vec<ImportedStory> {
    let ids = StoryIds::of(tasks.iter().map(|task| task.id.as_str()));
    remarks.extend(ids.renamed().map(|(from, to)| Remark::Renamed { from: from.into(), to }));
    let skipped: BTreeMap<&str, &PlanTask> = tasks
        .iter()
        .filter(|task| task.status == PlanTaskStatus::Skipped)
        .map(|task| (task.id.as_str(), task))
        .collect();
    remarks.extend(skipped.keys().map(|id| Remark::Skipped { task: (*id).to_owned() }));
    let last = plan_task::order_after_all(tasks);
    let kept = tasks.iter().filter(|task| task.status != PlanTaskStatus::Skipped);
    kept.map(|task| ImportedStory::of(task, &ids, &skipped, &last, remarks)).collect()
}

/// Each key once, with the number of tasks that have it.
fn unknown_task_keys(tasks: &[PlanTask]) -> impl Iterator<Item = Remark> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for key in tasks.iter().flat_map(|task| &task.unknown_keys) {
        *counted.entry(key).or_default() += 1;
    }
    counted.into_iter().map(|(key, tasks)| Remark::UnknownKey { key: key.to_owned(), tasks })
}
