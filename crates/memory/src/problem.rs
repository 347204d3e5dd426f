//! Problems in an agent's handoff, and where they are.

use std::borrow::Cow;
use std::fmt;

use json_reader::{FieldPath, Json, Place, Report};

const LONGEST_FOUND: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `bugs_encountered[2].resolved`; empty for the whole document.
    pub at: String,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Missing,
    Blank,
    /// `found` is short and on one line.
    Unexpected {
        expected: Cow<'static, str>,
        found: String,
    },
    TooMany {
        found: usize,
        kept: usize,
    },
    TooLong {
        kept: usize,
    },
    TooLarge {
        limit: usize,
    },
}

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

#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    pub(crate) fn note(&mut self, place: &At, field: FieldPath, fault: Fault) {
        self.0.push(Problem { at: place.child(field).0, fault });
    }
}

impl Report for Problems {
    type Place = At;

    const ARRAY: &'static str = "a list";

    fn report(&mut self, place: &At, field: FieldPath, fault: json_reader::Fault<'_>) {
        // Keys are unique here: the text was parsed into a map.
        let json_reader::Fault::Wrong { expected, found } = fault else { return };
        let fault = match (field, found) {
            (_, None) | (FieldPath::Named(_), Some(Json::Null)) => Fault::Missing,
            (_, Some(found)) => Fault::Unexpected { expected, found: found_text(found) },
        };
        self.note(place, field, fault);
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

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            return self.fault.fmt(f);
        }
        write!(f, "{}: {}", self.at, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing => f.write_str("missing"),
            Fault::Blank => f.write_str("is empty"),
            Fault::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Fault::TooMany { found, kept } => {
                write!(f, "{found} entries; only the first {kept} are kept")
            }
            Fault::TooLong { kept } => write!(f, "longer than {kept} characters, so it was cut"),
            Fault::TooLarge { limit } => write!(f, "larger than {limit} bytes, so it was left out"),
        }
    }
}
