//! One task of a plan, and the story that it becomes.

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{BOOL, FieldPath, Json, TEXT};
use serde::Serialize;
use serde_json::Number;
use tasks::{ReviewStatus, SkillName, StoryState};

use super::Remark;
use super::plan_fields::{At, COUNT, NUMBER, POSITIVE, PlanFields, sentence, unread, word, wrong};

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
pub(super) fn read_all(plan: &mut PlanFields<'_, '_>) -> Vec<PlanTask> {
    const NAME: &str = "tasks";
    let items = plan.required_array(NAME).unwrap_or_default();
    let id = |item: &Json| item.get("id")?.text().map(str::to_owned);
    let known: BTreeSet<String> = items.iter().filter_map(id).collect();
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let field = FieldPath::Item(NAME, position);
        let object = PlanFields::of(Some(item), &plan.place, field, plan.problems);
        let Some(mut fields) = object else { continue };
        let named = id(item).map_or(String::new(), |id| format!(" ({id:?})"));
        fields.place = At(format!("{field}{named}: "));
        let Some(task) = PlanTask::read(&mut fields) else { continue };
        if !seen.insert(task.story.id.clone()) {
            wrong(&mut fields, "id", "a unique id", &Json::Text(task.story.id.clone()));
        }
        for id in task.story.depends_on.iter().filter(|id| !known.contains(*id)) {
            let expected = "the id of a task of this plan";
            wrong(&mut fields, "depends_on", expected, &Json::Text(id.clone()));
        }
        tasks.push(task);
    }
    tasks
}

impl PlanTask {
    fn read(fields: &mut PlanFields<'_, '_>) -> Option<Self> {
        let (id, title) = (sentence(fields, "id"), sentence(fields, "title"));
        let status = word(fields, "status", &STATUS).unwrap_or(PlanTaskStatus::Pending);
        let (state, notes) = match status {
            PlanTaskStatus::Done => (DONE, "Done in the imported plan."),
            PlanTaskStatus::Failed => (StoryState::FRESH, "Failed in the imported plan."),
            _ => (StoryState::FRESH, ""),
        };
        let story = ImportedStory {
            id: id.clone().unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            description: fields.or("description", TEXT, String::new()),
            priority: fields.optional("order", NUMBER),
            skills: fields.items("skills", TEXT).unwrap_or_default(),
            needs_docs: fields.or("needs_docs", BOOL, false),
            libraries: fields.items("libraries", TEXT).unwrap_or_default(),
            acceptance_criteria: fields.items("acceptance_criteria", TEXT).unwrap_or_default(),
            depends_on: fields.items("depends_on", TEXT).unwrap_or_default(),
            max_turns: fields.optional("max_turns", POSITIVE),
            state,
            review_feedback: "",
            notes,
        };
        let max_retries = fields.optional("max_retries", COUNT);
        let retries_counted = fields.optional("retry_count", COUNT).is_some();
        let unknown_keys = unread(fields);
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
