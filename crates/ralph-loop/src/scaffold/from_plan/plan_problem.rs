//! A problem that prevents the import of a plan, with its place.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanProblem {
    /// Not JSON, or not a JSON object.
    NotAPlan {
        line: usize,
        column: usize,
        message: String,
    },
    Field {
        place: String,
        field: String,
        expected: String,
        found: String,
    },
    /// A problem of the resulting task list.
    OfList(tasks::Problem),
}

impl PlanProblem {
    pub(super) fn not_a_plan(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // serde_json appends the place, which has its own fields here.
        let message = text.split(" at line ").next().unwrap_or_default().to_owned();
        Self::NotAPlan { line: error.line(), column: error.column(), message }
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPlan { line, column, message } => {
                write!(f, "line {line}, column {column}: {message}")
            }
            Self::Field { place, field, expected, found } => {
                write!(f, "{place}{field}: expected {expected}, found {found}")
            }
            Self::OfList(problem) => problem.fmt(f),
        }
    }
}

/// A value for a message: short and on one line.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    match value {
        Value::Null => "nothing".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => match text.char_indices().nth(LONGEST) {
            None => format!("{text:?}"),
            Some((end, _)) => format!("{:?}…", &text[..end]),
        },
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(map) => format!("an object with {} keys", map.len()),
    }
}
