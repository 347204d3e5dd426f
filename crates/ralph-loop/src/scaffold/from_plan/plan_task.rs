//! One task of a plan, and the story that it becomes.

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{BOOL, FieldPath, Json, TEXT};
use serde_json::Number;
use tasks::{ReviewStatus, SkillName, StoryDraft, StoryId, StoryState};

use super::plan_fields::{At, COUNT, NUMBER, POSITIVE, PlanFields, sentence, unread, word, wrong};
use crate::scaffold::imported::Remark;

/// With the values of the plan, which need not be valid in a task list.
#[derive(Debug)]
pub(super) struct PlanTask {
    pub(super) id: String,
    title: String,
    description: String,
    criteria: Vec<String>,
    order: Option<Number>,
    depends_on: Vec<String>,
    skills: Vec<String>,
    needs_docs: bool,
    libraries: Vec<String>,
    max_turns: Option<u64>,
    pub(super) status: PlanTaskStatus,
    pub(super) max_retries: Option<u64>,
    /// Whether the task has a retry count.
    pub(super) retries_counted: bool,
    pub(super) unknown_keys: Vec<String>,
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
        if !seen.insert(task.id.clone()) {
            wrong(&mut fields, "id", "a unique id", &Json::Text(task.id.clone()));
        }
        for id in task.depends_on.iter().filter(|id| !known.contains(*id)) {
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
        let task = Self {
            id: id.clone().unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            status: word(fields, "status", &STATUS).unwrap_or(PlanTaskStatus::Pending),
            description: fields.or("description", TEXT, String::new()),
            order: fields.optional("order", NUMBER),
            skills: fields.items("skills", TEXT).unwrap_or_default(),
            needs_docs: fields.or("needs_docs", BOOL, false),
            libraries: fields.items("libraries", TEXT).unwrap_or_default(),
            criteria: fields.items("acceptance_criteria", TEXT).unwrap_or_default(),
            depends_on: fields.items("depends_on", TEXT).unwrap_or_default(),
            max_turns: fields.optional("max_turns", POSITIVE),
            max_retries: fields.optional("max_retries", COUNT),
            retries_counted: fields.optional("retry_count", COUNT).is_some(),
            unknown_keys: Vec::new(),
        };
        let unknown_keys = unread(fields);
        id.and(title).map(|_| Self { unknown_keys, ..task })
    }

    /// The story with values that are valid in the task list. `last` is the priority of a task that has none.
    pub(super) fn into_story(
        mut self,
        ids: &BTreeMap<&str, StoryId>,
        skipped: &BTreeSet<&str>,
        last: &Number,
        remarks: &mut Vec<Remark>,
    ) -> Option<StoryDraft> {
        let id = ids.get(self.id.as_str())?.clone();
        let mut remark = |kind, what: String| {
            remarks.push(Remark::new(kind, id.as_str(), format!("story {id}{what}")));
        };
        let (state, notes) = self.status.state();
        match self.status {
            PlanTaskStatus::Failed => remark("failed", " had failed; it starts again".into()),
            PlanTaskStatus::InProgress => {
                remark("inProgress", " was in progress; it starts again".into());
            }
            _ => {}
        }
        let priority = self.order.unwrap_or_else(|| {
            remark("noOrder", format!(" had no order; it comes last, with priority {last}"));
            last.clone()
        });
        // A story needs at least one criterion.
        self.criteria.retain(|text| !text.trim().is_empty());
        if self.criteria.is_empty() {
            let (from, criterion) = match self.description.trim() {
                "" => ("title", &self.title),
                _ => ("description", &self.description),
            };
            let what = format!(" had no acceptance criteria; its {from} becomes the criterion");
            remark("noCriteria", what);
            self.criteria.push(criterion.clone());
        }
        let mut depends_on = Vec::new();
        for on in &self.depends_on {
            if skipped.contains(on.as_str()) {
                let what = format!(" does not depend on {on:?}, which was skipped");
                remark("dependencyDropped", what);
            } else {
                depends_on.extend(ids.get(on.as_str()).cloned());
            }
        }
        let (skills, invalid): (Vec<_>, Vec<_>) = self
            .skills
            .into_iter()
            .map(|name| SkillName::new(name.as_str()).map_err(|_| name))
            .partition(Result::is_ok);
        for skill in invalid.into_iter().filter_map(Result::err) {
            let what = format!(": {skill:?} is not a valid skill name and is dropped");
            remark("skillDropped", what);
        }
        Some(StoryDraft {
            priority: Some(priority),
            state,
            notes: notes.to_owned(),
            depends_on,
            skills: skills.into_iter().flatten().collect(),
            needs_docs: self.needs_docs,
            libraries: self.libraries,
            max_turns: self.max_turns,
            ..StoryDraft::new(id, self.title, self.description, self.criteria)
        })
    }
}

impl PlanTaskStatus {
    /// With the notes of the story.
    fn state(self) -> (StoryState, &'static str) {
        match self {
            Self::Done => (DONE, "Done in the imported plan."),
            Self::Failed => (StoryState::FRESH, "Failed in the imported plan."),
            Self::Pending | Self::InProgress | Self::Skipped => (StoryState::FRESH, ""),
        }
    }
}

/// The order of tasks without one: after all others.
pub(super) fn order_after_all(tasks: &[PlanTask]) -> Number {
    let orders = tasks.iter().filter_map(|task| task.order.as_ref()?.as_f64());
    let last = orders.max_by(f64::total_cmp).map_or(1.0, |last| last.floor() + 1.0);
    // Written without a fraction.
    #[expect(clippy::cast_possible_truncation, reason = "used only if no precision is lost")]
    let whole = last as i64;
    match last.abs() < 1e15 {
        true => whole.into(),
        false => Number::from_f64(last).unwrap_or_else(|| 1.into()),
    }
}
