//! One problem of the settings, and its place.

use std::borrow::Cow;
use std::fmt;

use bounded_read::FileError;
use json_reader::{FieldPath, Json, Place, Report};

use crate::json_path::JsonPath;
use crate::source::Source;

/// Characters of a wrong value that are quoted.
const SHOWN_CHARS: usize = 60;

#[derive(Debug)]
pub struct Problem {
    pub source: Source,
    /// `guardrails[1].failAction`; empty for the document as a whole.
    pub path: String,
    pub fault: Fault,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("cannot read the file: {0}")]
    Unreadable(FileError),
    #[error("broken symbolic link")]
    LeadsNowhere,
    #[error("line {line}, column {column}: invalid JSON: {what}")]
    Syntax { line: usize, column: usize, what: String },
    #[error("unknown key {key:?}{}", suggestion(*.nearest))]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("duplicate key {key:?}")]
    Twice { key: String },
    #[error("expected {expected}, found {found}")]
    Wrong { expected: Cow<'static, str>, found: String },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.source)?;
        // A flag needs no path.
        if !self.path.is_empty() && !matches!(self.source, Source::Flag(_)) {
            write!(f, "{}: ", self.path)?;
        }
        self.fault.fmt(f)
    }
}

/// Collects the problems of one source.
#[derive(Debug)]
pub(crate) struct Problems<'s> {
    source: &'s Source,
    found: Vec<Problem>,
}

impl<'s> Problems<'s> {
    pub(crate) fn of(source: &'s Source) -> Self {
        Self { source, found: Vec::new() }
    }

    fn add(&mut self, path: &JsonPath, fault: Fault) {
        let path = path.to_string();
        self.found.push(Problem { source: self.source.clone(), path, fault });
    }

    pub(crate) fn wrong(&mut self, path: &JsonPath, expected: Cow<'static, str>, value: &Json) {
        let found = if path.is_secret() { kind(value).to_owned() } else { shown(value) };
        self.add(path, Fault::Wrong { expected, found });
    }

    pub(crate) fn wrong_name(&mut self, path: &JsonPath, expected: Cow<'static, str>, name: &str) {
        let found = format!("{:?}", shown_name(path, name));
        self.add(path, Fault::Wrong { expected, found });
    }

    pub(crate) fn twice(&mut self, path: &JsonPath, key: &str) {
        self.add(path, Fault::Twice { key: shown_name(path, key).to_owned() });
    }

    pub(crate) fn unknown(&mut self, path: &JsonPath, key: &str, nearest: Option<&'static str>) {
        let key = key.chars().take(SHOWN_CHARS).collect();
        self.add(path, Fault::UnknownKey { key, nearest });
    }

    pub(crate) fn into_found(self) -> Vec<Problem> {
        self.found
    }
}

impl Report for Problems<'_> {
    type Place = JsonPath;

    fn report(&mut self, place: &JsonPath, field: FieldPath, fault: json_reader::Fault<'_>) {
        // Duplicate keys are reported together, known or not.
        let json_reader::Fault::Wrong { expected, found } = fault else { return };
        let path = place.child(field);
        match (field, found) {
            (_, None) | (FieldPath::Named(_), Some(Json::Null)) => {
                let found = "nothing: the key is missing".to_owned();
                self.add(&path, Fault::Wrong { expected, found });
            }
            (_, Some(value)) => self.wrong(&path, expected, value),
        }
    }
}

/// A user who writes `"TOKEN=abc": ""` has put the secret into the name.
fn shown_name<'n>(path: &JsonPath, name: &'n str) -> &'n str {
    match name.split_once('=') {
        Some((start, _)) if path.is_secret() => start,
        _ => name,
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |key| format!("; did you mean {key:?}?"))
}

fn shown(value: &Json) -> String {
    match value {
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => number.to_string(),
        Json::Text(text) if text.chars().count() > SHOWN_CHARS => {
            let start: String = text.chars().take(SHOWN_CHARS).collect();
            format!("{start:?} and more")
        }
        Json::Text(text) => format!("{text:?}"),
        Json::Null | Json::Array(_) | Json::Object(_) => kind(value).to_owned(),
    }
}

/// The kind of value, without its content.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::Text(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_value_is_shortened_and_sanitized() {
        assert_eq!(shown(&Json::Text("a\u{1b}[2J".into())), r#""a\u{1b}[2J""#);
        let long = shown(&Json::Text("x".repeat(61)));
        assert_eq!(long, format!("\"{}\" and more", "x".repeat(60)));
    }

    #[test]
    fn a_flag_is_its_own_place() {
        let source = Source::Flag("--max-turns");
        let mut problems = Problems::of(&source);
        let path = JsonPath::default().key("agent").key("maxTurns");
        problems.wrong(&path, "a number".into(), &Json::Bool(true));
        let found = problems.into_found();
        assert_eq!(found[0].to_string(), "--max-turns: expected a number, found true");
    }
}
