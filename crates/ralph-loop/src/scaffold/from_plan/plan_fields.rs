//! Reads the fields of one object of a plan and collects all problems in one pass.
//!
//! `null` means "not set".

use json_reader::{Fault, FieldPath, Json, Leaf, ObjectReader, Place, Report, TEXT};
use serde_json::Number;

pub(super) type PlanFields<'j, 'p> = ObjectReader<'j, 'p, PlanProblems>;

#[derive(Debug, Default)]
pub(super) struct PlanProblems(pub(super) Vec<String>);

/// Prefix of field names in problems; empty at the top level.
#[derive(Debug, Default)]
pub(super) struct At(pub(super) String);

pub(super) const POSITIVE: Leaf<u64> = Leaf::new("a whole number, 1 or more", |json| {
    json.number()?.as_u64().filter(|number| *number > 0)
});
pub(super) const COUNT: Leaf<u64> =
    Leaf::new("a whole number, 0 or more", |json| json.number()?.as_u64());
pub(super) const NUMBER: Leaf<Number> = Leaf::new("a number", |json| json.number().cloned());

impl Place for At {
    fn child(&self, field: FieldPath) -> Self {
        Self(format!("{}{field}: ", self.0))
    }
}

impl Report for PlanProblems {
    type Place = At;

    fn report(&mut self, At(place): &At, field: FieldPath, fault: Fault<'_>) {
        // Keys are unique: the text was parsed into a map.
        let Fault::Wrong { expected, found } = fault else { return };
        self.0.push(format!("{place}{field}: expected {expected}, found {}", shown(found)));
    }
}

/// A required text that is not blank.
pub(super) fn sentence(fields: &mut PlanFields<'_, '_>, name: &'static str) -> Option<String> {
    let text = fields.required(name, TEXT)?;
    if text.trim().is_empty() {
        wrong(fields, name, "a string that is not blank", &Json::Text(text));
        return None;
    }
    Some(text)
}

/// Maps one of the given words to its value.
pub(super) fn word<T: Copy>(
    fields: &mut PlanFields<'_, '_>,
    name: &'static str,
    words: &[(&str, T)],
) -> Option<T> {
    let value = fields.set_entry(name)?;
    let found = words.iter().find(|(word, _)| value.text() == Some(word));
    if found.is_none() {
        let names: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        wrong(fields, name, &format!("one of {}", names.join(", ")), value);
    }
    found.map(|(_, meaning)| *meaning)
}

/// Reports a value with the wrong contents.
pub(super) fn wrong(
    fields: &mut PlanFields<'_, '_>,
    name: &'static str,
    expected: &str,
    found: &Json,
) {
    let fault = Fault::Wrong { expected: expected.to_owned().into(), found: Some(found) };
    fields.problems.report(&fields.place, FieldPath::Named(name), fault);
}

/// Fields that were not read.
pub(super) fn unread(fields: &PlanFields<'_, '_>) -> Vec<String> {
    let keys = fields.entries.iter().map(|(key, _)| key);
    keys.filter(|key| !fields.known.contains(&key.as_str())).cloned().collect()
}

fn shown(value: Option<&Json>) -> String {
    const LONGEST: usize = 60;
    match value {
        None | Some(Json::Null) => "nothing".into(),
        Some(value @ (Json::Bool(_) | Json::Number(_))) => value.to_string(),
        Some(Json::Text(text)) => match text.char_indices().nth(LONGEST) {
            None => format!("{text:?}"),
            Some((end, _)) => format!("{:?}…", &text[..end]),
        },
        Some(Json::Array(items)) => format!("an array of {}", items.len()),
        Some(Json::Object(entries)) => format!("an object with {} keys", entries.len()),
    }
}
