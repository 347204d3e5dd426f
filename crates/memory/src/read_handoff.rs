//! Parses a handoff from an agent's text. An incomplete handoff is better than none, so only a
//! summary is required; everything invalid is reported and omitted.

use serde_json::Value;

use crate::handoff::{
    Bug, Constraint, Deviation, FileAction, FileTouched, Handoff, Priority, TaskCompleted,
    TestsAdded, UnfinishedItem, Verdict,
};
use crate::problem::{Fault, Problem};
use crate::reader::Presence::{Optional, Required};
use crate::reader::{JsonPlace, Reader};

/// An amendment has a few sentences about one story.
const LARGEST_AMENDMENT: usize = 16_000;

const PRIORITIES: [(&str, Priority); 3] =
    [("high", Priority::High), ("medium", Priority::Medium), ("low", Priority::Low)];

const VERDICTS: [(&str, Verdict); 2] =
    [("approved", Verdict::Approved), ("changes_requested", Verdict::ChangesRequested)];

const ACTIONS: [(&str, FileAction); 3] = [
    ("created", FileAction::Created),
    ("modified", FileAction::Modified),
    ("deleted", FileAction::Deleted),
];

#[derive(Debug, Clone, PartialEq)]
pub enum ReadHandoff {
    Whole(Handoff),
    Repaired { handoff: Handoff, problems: Vec<Problem> },
    Unusable(Vec<Problem>),
}

/// Keeps what is valid: at most 200 entries per list and 4,000 characters per text.
pub fn read_handoff(value: &Value) -> ReadHandoff {
    let mut reader = Reader::default();
    match handoff(&mut reader, value) {
        None => ReadHandoff::Unusable(reader.problems),
        Some(handoff) if reader.problems.is_empty() => ReadHandoff::Whole(handoff),
        Some(handoff) => ReadHandoff::Repaired { handoff, problems: reader.problems },
    }
}

fn handoff(reader: &mut Reader, value: &Value) -> Option<Handoff> {
    let whole = JsonPlace { fields: reader.object(value, "")?, at: "" };
    Some(Handoff {
        task_completed: task_completed(reader, whole)?,
        verdict: reader.word_if_any(
            whole,
            "verdict",
            &VERDICTS,
            "\"approved\" or \"changes_requested\"",
        ),
        deviations: reader.objects(whole, "deviations", Required, deviation),
        bugs_encountered: reader.objects(whole, "bugs_encountered", Required, bug),
        architectural_notes: reader.texts(whole, "architectural_notes", Required),
        unfinished_business: reader.objects(whole, "unfinished_business", Optional, unfinished),
        recommendations: reader.texts(whole, "recommendations", Optional),
        files_touched: reader.objects(whole, "files_touched", Required, file_touched),
        plan_amendments: reader.list(whole, "plan_amendments", Required, amendment),
        tests_added: reader.objects(whole, "tests_added", Required, tests_added),
        constraints_discovered: reader.objects(
            whole,
            "constraints_discovered",
            Required,
            constraint,
        ),
    })
}

fn task_completed(reader: &mut Reader, whole: JsonPlace<'_>) -> Option<TaskCompleted> {
    let fields = reader.child(whole, "task_completed")?;
    let place = JsonPlace { fields, at: "task_completed" };
    Some(TaskCompleted {
        summary: reader.text(place, "summary")?,
        task_id: reader.text(place, "task_id").unwrap_or_default(),
        fully_complete: reader.boolean(place, "fully_complete").unwrap_or(false),
    })
}

fn deviation(reader: &mut Reader, place: JsonPlace<'_>) -> Option<Deviation> {
    Some(Deviation {
        planned: reader.text(place, "planned")?,
        actual: reader.text(place, "actual")?,
        reason: reader.text_or_nothing(place, "reason")?,
    })
}

fn bug(reader: &mut Reader, place: JsonPlace<'_>) -> Option<Bug> {
    Some(Bug {
        description: reader.text(place, "description")?,
        resolution: reader.text_or_nothing(place, "resolution")?,
        resolved: reader.boolean(place, "resolved")?,
    })
}

fn unfinished(reader: &mut Reader, place: JsonPlace<'_>) -> Option<UnfinishedItem> {
    Some(UnfinishedItem {
        item: reader.text(place, "item")?,
        reason: reader.text_or_nothing(place, "reason")?,
        priority: reader.word(place, "priority", &PRIORITIES, "\"high\", \"medium\" or \"low\"")?,
    })
}

fn file_touched(reader: &mut Reader, place: JsonPlace<'_>) -> Option<FileTouched> {
    let expected = "\"created\", \"modified\" or \"deleted\"";
    Some(FileTouched {
        path: reader.text(place, "path")?,
        action: reader.word(place, "action", &ACTIONS, expected)?,
    })
}

fn tests_added(reader: &mut Reader, place: JsonPlace<'_>) -> Option<TestsAdded> {
    Some(TestsAdded {
        file: reader.text(place, "file")?,
        test_names: reader.texts(place, "test_names", Required),
    })
}

fn constraint(reader: &mut Reader, place: JsonPlace<'_>) -> Option<Constraint> {
    Some(Constraint {
        constraint: reader.text(place, "constraint")?,
        impact: reader.text_or_nothing(place, "impact")?,
        workaround: reader.text_if_any(place, "workaround"),
    })
}

fn amendment(reader: &mut Reader, entry: &Value, at: &str) -> Option<Value> {
    reader.object(entry, at)?;
    if entry.to_string().len() > LARGEST_AMENDMENT {
        reader.note(at.to_owned(), Fault::TooLarge { limit: LARGEST_AMENDMENT });
        return None;
    }
    Some(entry.clone())
}
