//! Parses a handoff from an agent's text. An incomplete handoff is better than none, so only a
//! summary is required; everything invalid is reported and omitted.

use json_reader::{BOOL, FieldPath, Json, Leaf};
use serde_json::Value;

use crate::handoff::{
    Bug, Constraint, Deviation, FileTouched, Handoff, TaskCompleted, TestsAdded, UnfinishedItem,
};
use crate::problem::Problems;
use crate::reader::Presence::{Optional, Required};
use crate::reader::{Fields, list, objects, text, text_if_any, text_or_nothing, texts, whole};

/// An amendment has a few sentences about one story.
const LARGEST_AMENDMENT: usize = 16_000;

/// Keeps what is valid: at most 200 entries per list and 4,000 characters per text. Also returns all problems.
pub fn read_handoff(value: &Value) -> (Option<Handoff>, Vec<String>) {
    let mut problems = Problems::default();
    (handoff(value, &mut problems), problems.0)
}

fn handoff(value: &Value, problems: &mut Problems) -> Option<Handoff> {
    let json = Json::from(value);
    let fields = &mut whole(&json, problems)?;
    Some(Handoff {
        task_completed: task_completed(fields)?,
        verdict: fields.optional("verdict", Leaf::lenient_word()),
        question: text_if_any(fields, "question"),
        deviations: objects(fields, "deviations", Required, deviation),
        bugs_encountered: objects(fields, "bugs_encountered", Required, bug),
        architectural_notes: texts(fields, "architectural_notes", Required),
        unfinished_business: objects(fields, "unfinished_business", Optional, unfinished),
        recommendations: texts(fields, "recommendations", Optional),
        files_touched: objects(fields, "files_touched", Required, file_touched),
        plan_amendments: amendments(fields, value),
        tests_added: objects(fields, "tests_added", Required, tests_added),
        constraints_discovered: objects(fields, "constraints_discovered", Required, constraint),
    })
}

fn task_completed(whole: &mut Fields<'_, '_>) -> Option<TaskCompleted> {
    let value = whole.entry("task_completed");
    let field = FieldPath::Named("task_completed");
    let fields = &mut Fields::of(value, &whole.place, field, whole.problems)?;
    Some(TaskCompleted {
        summary: text(fields, "summary")?,
        task_id: text(fields, "task_id").unwrap_or_default(),
        fully_complete: fields.required("fully_complete", BOOL).unwrap_or(false),
    })
}

fn deviation(fields: &mut Fields<'_, '_>) -> Option<Deviation> {
    Some(Deviation {
        planned: text(fields, "planned")?,
        actual: text(fields, "actual")?,
        reason: text_or_nothing(fields, "reason")?,
    })
}

fn bug(fields: &mut Fields<'_, '_>) -> Option<Bug> {
    Some(Bug {
        description: text(fields, "description")?,
        resolution: text_or_nothing(fields, "resolution")?,
        resolved: fields.required("resolved", BOOL)?,
    })
}

fn unfinished(fields: &mut Fields<'_, '_>) -> Option<UnfinishedItem> {
    Some(UnfinishedItem {
        item: text(fields, "item")?,
        reason: text_or_nothing(fields, "reason")?,
        priority: fields.required("priority", Leaf::lenient_word())?,
    })
}

fn file_touched(fields: &mut Fields<'_, '_>) -> Option<FileTouched> {
    Some(FileTouched {
        path: text(fields, "path")?,
        action: fields.required("action", Leaf::lenient_word())?,
    })
}

fn tests_added(fields: &mut Fields<'_, '_>) -> Option<TestsAdded> {
    Some(TestsAdded {
        file: text(fields, "file")?,
        test_names: texts(fields, "test_names", Required),
    })
}

fn constraint(fields: &mut Fields<'_, '_>) -> Option<Constraint> {
    Some(Constraint {
        constraint: text(fields, "constraint")?,
        impact: text_or_nothing(fields, "impact")?,
        workaround: text_if_any(fields, "workaround"),
    })
}

/// As the agent wrote them in `value`, the whole document.
fn amendments(fields: &mut Fields<'_, '_>, value: &Value) -> Vec<Value> {
    const NAME: &str = "plan_amendments";
    let written = value[NAME].as_array().into_iter().flatten();
    let items = list(fields, NAME, Required).iter().zip(written).enumerate();
    let kept = items.filter_map(|(index, (item, written))| {
        let field = FieldPath::Item(NAME, index);
        Fields::of(Some(item), &fields.place, field, fields.problems)?;
        if written.to_string().len() > LARGEST_AMENDMENT {
            let what = format!("larger than {LARGEST_AMENDMENT} bytes, so it was left out");
            fields.problems.note(&fields.place, field, &what);
            return None;
        }
        Some(written.clone())
    });
    kept.collect()
}
