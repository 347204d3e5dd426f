//! Problems of a proof file, each with its place and on one line.

use json_reader::{Fault, FieldPath, Json, Place, Report};
use sanitize::plain;

/// Longer values are cut in messages.
const LONGEST: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{what}")]
pub struct ProofProblem {
    /// Such as `criteria[0].tests[1].file: `; empty for the whole file.
    place: String,
    what: String,
}

impl ProofProblem {
    pub(crate) fn new(place: &At, field: FieldPath, what: impl Into<String>) -> Self {
        let At(at) = place.child(field);
        let place = if at.is_empty() { at } else { format!("{at}: ") };
        Self { place, what: what.into() }
    }

    pub(crate) fn of_file(what: impl Into<String>) -> Self {
        Self::new(&At::default(), FieldPath::Whole, what)
    }
}

/// The path of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct At(String);

impl Place for At {
    fn child(&self, field: FieldPath) -> Self {
        match field {
            FieldPath::Whole => self.clone(),
            _ if self.0.is_empty() => Self(field.to_string()),
            _ => Self(format!("{}.{field}", self.0)),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<ProofProblem>);

impl Problems {
    pub(crate) fn push(&mut self, place: &At, field: FieldPath, what: impl Into<String>) {
        self.0.push(ProofProblem::new(place, field, what));
    }
}

impl Report for Problems {
    type Place = At;

    fn report(&mut self, place: &At, field: FieldPath, fault: Fault<'_>) {
        let what = match fault {
            Fault::Wrong { expected, found: Some(found) } => {
                format!("expected {expected}, found {}", shown(found))
            }
            Fault::Wrong { expected, found: None } => format!("expected {expected}, it is missing"),
            Fault::Repeated { times } => format!("the key is there {times} times"),
        };
        self.push(place, field, what);
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        other => quoted(&other.to_string()),
    }
}

/// On one line and not long.
pub(crate) fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", plain(&cut))
}
