//! One task of a plan, and the story that it becomes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Number, Value};
use tasks::{ReviewStatus, SkillName, StoryState};

use super::Remark;
use super::plan_fields::PlanFields;

#[derive(Debug)]
pub(super) struct PlanTask {
    /// With the values of the plan, which need not be valid in a task list.
    pub(super) story: ImportedStory,
    pub(super) status: PlanTaskStatus,
    pub(super) max_retries: Option<u64>,
    /// Whether the task has a retry count.
    pub(super) retries_counted: bool,
    pub(super) unknown_keys: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::scaffold) struct ImportedStory {
    pub(super) id: String,
    title: String,
    description: String,
    acceptance_criteria: Vec<String>,
    /// The order of the task.
    priority: Option<Number>,
    #[serde(flatten)]
    state: StoryState,
    review_feedback: &'static str,
    notes: &'static str,
    depends_on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<String>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanTaskStatus {
    Pending,
    InProgress,
    Done,
    Failed,
    Skipped,
}

const STATUS: [(&str, PlanTaskStatus); 5] = [
    ("pending", PlanTaskStatus::Pending),
    ("in_progress", PlanTaskStatus::InProgress),
    ("done", PlanTaskStatus::Done),
    ("failed", PlanTaskStatus::Failed),
    ("skipped", PlanTaskStatus::Skipped),
];

/// The tasks of a plan. Reports duplicate ids and unknown dependencies.
pub(super) fn read_all(plan: &mut PlanFields<'_>) -> Vec<PlanTask> {
    const NAME: &str = "tasks";
    let Some(items) = plan.array(NAME) else {
        plan.report(NAME, "an array", &Value::Null);
        return Vec::new();
    };
    let id = |item: &Value| item.get("id")?.as_str().map(str::to_owned);
    let known: BTreeSet<String> = items.iter().filter_map(id).collect();
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for (position, item) in items.into_iter().enumerate() {
        let place = format!("{NAME}[{position}]");
        let named = id(&item).map_or(String::new(), |id| format!(" ({id:?})"));
        let Value::Object(object) = item else {
            plan.report(&place, "an object", &item);
            continue;
        };
        let mut fields = PlanFields::new(object, format!("{place}{named}: "), plan.problems);
        let Some(task) = PlanTask::read(&mut fields) else { continue };
        if !seen.insert(task.story.id.clone()) {
            fields.report("id", "a unique id", &Value::from(task.story.id.as_str()));
        }
        for id in task.story.depends_on.iter().filter(|id| !known.contains(*id)) {
            let expected = "the id of a task of this plan";
            fields.report("depends_on", expected, &Value::from(id.as_str()));
        }
        tasks.push(task);
    }
    tasks
}

impl PlanTask {
    fn read(fields: &mut PlanFields<'_>) -> Option<Self> {
        let (id, title) = (fields.sentence("id"), fields.sentence("title"));
        let status = fields.word("status", &STATUS).unwrap_or(PlanTaskStatus::Pending);
        let (state, notes) = match status {
            PlanTaskStatus::Done => (DONE, "Done in the imported plan."),
            PlanTaskStatus::Failed => (StoryState::FRESH, "Failed in the imported plan."),
            _ => (StoryState::FRESH, ""),
        };
        let story = ImportedStory {
            id: id.clone().unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
            priority: fields.number("order"),
            skills: fields.texts("skills"),
            needs_docs: fields.flag("needs_docs"),
            libraries: fields.texts("libraries"),
            acceptance_criteria: fields.texts("acceptance_criteria"),
            depends_on: fields.texts("depends_on"),
            max_turns: fields.positive("max_turns"),
            state,
            review_feedback: "",
            notes,
        };
        let max_retries = fields.count("max_retries");
        let retries_counted = fields.count("retry_count").is_some();
        let unknown_keys = fields.unread();
        id.and(title).map(|_| Self { story, status, max_retries, retries_counted, unknown_keys })
    }

    /// The story with values that are valid in the task list. `last` is the priority of a task that has none.
    pub(super) fn into_story(
        self,
        ids: &BTreeMap<&str, String>,
        skipped: &BTreeSet<&str>,
        last: &Number,
        remarks: &mut Vec<Remark>,
    ) -> ImportedStory {
        let Self { mut story, status, .. } = self;
        let id = ids.get(story.id.as_str()).cloned().unwrap_or_default();
        let mut remark = |kind, what: String| {
            remarks.push(Remark::new(kind, &id, format!("story {id}{what}")));
        };
        match status {
            PlanTaskStatus::Failed => remark("failed", " had failed; it starts again".into()),
            PlanTaskStatus::InProgress => {
                remark("inProgress", " was in progress; it starts again".into());
            }
            _ => {}
        }
        story.priority.get_or_insert_with(|| {
            remark("noOrder", format!(" had no order; it comes last, with priority {last}"));
            last.clone()
        });
        // A story needs at least one criterion.
        story.acceptance_criteria.retain(|text| !text.trim().is_empty());
        if story.acceptance_criteria.is_empty() {
            let (from, criterion) = match story.description.trim() {
                "" => ("title", &story.title),
                _ => ("description", &story.description),
            };
            let what = format!(" had no acceptance criteria; its {from} becomes the criterion");
            remark("noCriteria", what);
            story.acceptance_criteria.push(criterion.clone());
        }
        story.depends_on.retain_mut(|on| {
            if skipped.contains(on.as_str()) {
                let what = format!(" does not depend on {on:?}, which was skipped");
                remark("dependencyDropped", what);
                return false;
            }
            *on = ids.get(on.as_str()).cloned().unwrap_or_default();
            true
        });
        story.skills.retain(|skill| {
            let is_valid = SkillName::new(skill.as_str()).is_ok();
            if !is_valid {
                let what = format!(": {skill:?} is not a valid skill name and is dropped");
                remark("skillDropped", what);
            }
            is_valid
        });
        story.id = id;
        story
    }
}

/// The order of tasks without one: after all others.
pub(super) fn order_after_all(tasks: &[PlanTask]) -> Number {
    let orders = tasks.iter().filter_map(|task| task.story.priority.as_ref()?.as_f64());
    let last = orders.max_by(f64::total_cmp).map_or(1.0, |last| last.floor() + 1.0);
    // Written without a fraction.
    #[expect(clippy::cast_possible_truncation, reason = "used only if no precision is lost")]
    let whole = last as i64;
    match last.abs() < 1e15 {
        true => whole.into(),
        false => Number::from_f64(last).unwrap_or_else(|| 1.into()),
    }
}
