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
use serde::Serialize;
use serde_json::Value;
use tasks::VerifyCommand;

use plan_fields::{At, POSITIVE, PlanFields, PlanProblems, unread, word, wrong};
use plan_task::{ImportedStory, PlanTask, PlanTaskStatus};

/// The parts of a plan that have a counterpart.
#[derive(Debug, Clone)]
pub(crate) struct ImportedPlan {
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) settings: PlanSettings,
    pub(crate) remarks: Vec<Remark>,
    pub(super) stories: Vec<ImportedStory>,
}

/// Values of a plan that belong into the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanSettings {
    pub(crate) maximum_iterations: Option<u64>,
    /// Attempts per story.
    pub(crate) most_attempts: Option<u64>,
    pub(crate) validation: Option<ValidationStrategy>,
}

/// Tells the user about a value of a plan that was changed or dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    /// For machines.
    kind: &'static str,
    /// The story, task or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    pub(super) message: String,
}

impl Remark {
    /// The existing task list was kept.
    pub(super) fn list_kept() -> Self {
        let message = "the existing task list is kept; use --force to replace it".to_owned();
        Self { kind: "listKept", about: None, message }
    }

    pub(crate) fn new(kind: &'static str, about: &str, message: String) -> Self {
        Self { kind, about: Some(about.to_owned()), message }
    }
}

/// Values of `validation_strategy`, and of the settings.
const VALIDATION: [(&str, ValidationStrategy); 3] = [
    ("strict", ValidationStrategy::Strict),
    ("lenient", ValidationStrategy::Lenient),
    ("tests_only", ValidationStrategy::TestsOnly),
];

/// Returns the plan, or all its problems at once.
pub(crate) fn read(bytes: &[u8]) -> Result<ImportedPlan, Vec<String>> {
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
    ImportedPlan { project, branch, settings, remarks, stories }.checked()
}

/// Not JSON, or not a JSON object.
fn not_a_plan(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // serde_json appends the place, which comes first here.
    let message = text.split(" at line ").next().unwrap_or_default();
    format!("line {}, column {}: {message}", error.line(), error.column())
}

impl ImportedPlan {
    /// The text of the task list.
    pub(super) fn task_list(
        &self,
        project: &str,
        branch: &str,
        checks: &[VerifyCommand],
    ) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct List<'l> {
            #[serde(rename = "$schema")]
            schema: &'l str,
            project: &'l str,
            branch_name: &'l str,
            description: &'l str,
            verify_commands: &'l [VerifyCommand],
            user_stories: &'l [ImportedStory],
        }
        let list = List {
            schema: "./tasks.schema.json",
            project,
            branch_name: branch,
            description: "",
            verify_commands: checks,
            user_stories: &self.stories,
        };
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string_pretty(&list).unwrap_or_default() + "\n"
    }

    /// The check of the task list finds problems across stories, such as dependency cycles.
    fn checked(self) -> Result<Self, Vec<String>> {
        let text = self.task_list("", "", &[]);
        match tasks::inspect(text.as_bytes()).accepted() {
            Ok(_) => Ok(self),
            Err(problems) => Err(problems.iter().map(ToString::to_string).collect()),
        }
    }
}

fn stories(tasks: Vec<PlanTask>, remarks: &mut Vec<Remark>) -> Vec<ImportedStory> {
    let in_plan: Vec<String> = tasks.iter().map(|task| task.story.id.clone()).collect();
    let ids = story_ids::of(&in_plan);
    for (from, to) in in_plan.iter().filter_map(|id| Some((id, ids.get(id.as_str())?))) {
        if from != to {
            let message = format!("task {from:?} becomes story {to}");
            remarks.push(Remark::new("renamed", from, message));
        }
    }
    let last = plan_task::order_after_all(&tasks);
    let (skipped, kept): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| task.status == PlanTaskStatus::Skipped);
    let skipped: BTreeSet<&str> = skipped.iter().map(|task| task.story.id.as_str()).collect();
    remarks.extend(skipped.iter().map(|id| {
        Remark::new("skipped", id, format!("task {id:?} was skipped and is not imported"))
    }));
    kept.into_iter().map(|task| task.into_story(&ids, &skipped, &last, remarks)).collect()
}
