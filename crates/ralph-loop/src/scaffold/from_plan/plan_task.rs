//! One task of a plan.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::plan_fields::PlanFields;

#[derive(Debug, Clone)]
pub(super) struct PlanTask {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) status: PlanTaskStatus,
    pub(super) order: Option<Number>,
    pub(super) skills: Vec<String>,
    pub(super) needs_docs: bool,
    pub(super) libraries: Vec<String>,
    pub(super) acceptance_criteria: Vec<String>,
    pub(super) depends_on: Vec<String>,
    pub(super) max_turns: Option<u64>,
    pub(super) max_retries: Option<u64>,
    /// Whether the task has a retry count.
    pub(super) retries_counted: bool,
    pub(super) unknown_keys: Vec<String>,
}

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

const KEYS: [&str; 13] = [
    "id",
    "title",
    "description",
    "status",
    "order",
    "skills",
    "needs_docs",
    "libraries",
    "acceptance_criteria",
    "depends_on",
    "max_turns",
    "retry_count",
    "max_retries",
];

/// The tasks of a plan. Reports duplicate ids and unknown dependencies.
pub(super) fn read_all(plan: &mut PlanFields<'_, '_>) -> Vec<PlanTask> {
    const NAME: &str = "tasks";
    let Some(items) = plan.array(NAME) else {
        plan.report(NAME, "an array", &Value::Null);
        return Vec::new();
    };
    let id = |item: &Value| item.get("id")?.as_str().map(str::to_owned);
    let known: BTreeSet<String> = items.iter().filter_map(id).collect();
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let place = format!("{NAME}[{position}]");
        let Value::Object(object) = item else {
            plan.report(&place, "an object", item);
            continue;
        };
        let place = id(item).map_or(place.clone(), |id| format!("{place} ({id:?})"));
        let mut fields = PlanFields::new(object, format!("{place}: "), plan.problems());
        let Some(task) = PlanTask::read(object, &mut fields) else { continue };
        if !seen.insert(task.id.clone()) {
            let expected = "a unique id";
            fields.report("id", expected, &Value::from(task.id.as_str()));
        }
        for id in task.depends_on.iter().filter(|id| !known.contains(*id)) {
            let expected = "the id of a task of this plan";
            fields.report("depends_on", expected, &Value::from(id.as_str()));
        }
        tasks.push(task);
    }
    tasks
}

impl PlanTask {
    fn read(object: &Map<String, Value>, fields: &mut PlanFields<'_, '_>) -> Option<Self> {
        let id = fields.sentence("id");
        let title = fields.sentence("title");
        let status = fields.word("status", &STATUS).unwrap_or(PlanTaskStatus::Pending);
        let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()));
        let task = Self {
            id: id.clone().unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
            status,
            order: fields.number("order"),
            skills: fields.texts("skills"),
            needs_docs: fields.flag("needs_docs"),
            libraries: fields.texts("libraries"),
            acceptance_criteria: fields.texts("acceptance_criteria"),
            depends_on: fields.texts("depends_on"),
            max_turns: fields.positive("max_turns"),
            max_retries: fields.count("max_retries"),
            retries_counted: fields.count("retry_count").is_some(),
            unknown_keys: unknown.cloned().collect(),
        };
        id.and(title).map(|_| task)
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
