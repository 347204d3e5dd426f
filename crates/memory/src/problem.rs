//! Problems in an agent's handoff, and where they are.

use json_reader::{Fault, FieldPath, Json, Place, Report};

pub(crate) const MISSING: &str = "missing";

const LONGEST_FOUND: usize = 40;

/// The path of an object; empty for the whole document.
#[derive(Debug, Default)]
pub(crate) struct At(String);

impl Place for At {
    fn child(&self, field: FieldPath) -> Self {
        match field {
            FieldPath::Whole => Self(self.0.clone()),
            _ if self.0.is_empty() => Self(field.to_string()),
            _ => Self(format!("{}.{field}", self.0)),
        }
    }
}

/// A line for each: `bugs_encountered[2].resolved: missing`.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<String>);

impl Problems {
    pub(crate) fn note(&mut self, place: &At, field: FieldPath, what: &str) {
        let At(at) = place.child(field);
        self.0.push(if at.is_empty() { what.to_owned() } else { format!("{at}: {what}") });
    }
}

impl Report for Problems {
    type Place = At;

    const ARRAY: &'static str = "a list";

    fn report(&mut self, place: &At, field: FieldPath, fault: Fault<'_>) {
        // Keys are unique here: the text was parsed into a map.
        let Fault::Wrong { expected, found } = fault else { return };
        match (field, found) {
            (_, None) | (FieldPath::Named(_), Some(Json::Null)) => self.note(place, field, MISSING),
            (_, Some(found)) => {
                let what = format!("expected {expected}, found {}", found_text(found));
                self.note(place, field, &what);
            }
        }
    }
}

fn found_text(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(boolean) => boolean.to_string(),
        Json::Number(number) => sanitize::plain(&number.to_string()),
        Json::Text(text) => {
            let mut start: String = text.chars().take(LONGEST_FOUND).collect();
            if start.len() < text.len() {
                start.push('…');
            }
            format!("\"{}\"", sanitize::plain(&start))
        }
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}
