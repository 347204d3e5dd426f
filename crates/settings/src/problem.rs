//! The problems of the settings with their places, as lines of text.

use json_reader::{FieldPath, Json, Place, Report};

use crate::json_path::JsonPath;
use crate::source::Source;

/// Characters of a wrong value that are quoted.
const SHOWN_CHARS: usize = 60;

/// Collects the problems of one source, each as a line with its place.
#[derive(Debug)]
pub(crate) struct Problems<'s> {
    source: &'s Source,
    pub(crate) found: Vec<String>,
}

impl<'s> Problems<'s> {
    pub(crate) fn of(source: &'s Source) -> Self {
        Self { source, found: Vec::new() }
    }

    /// A problem of the document as a whole has no path, and a flag needs none.
    fn add(&mut self, path: &JsonPath, what: String) {
        let (source, path) = (self.source, path.to_string());
        self.found.push(match path.is_empty() || matches!(source, Source::Flag(_)) {
            true => format!("{source}: {what}"),
            false => format!("{source}: {path}: {what}"),
        });
    }

    pub(crate) fn wrong(&mut self, path: &JsonPath, expected: &str, value: &Json) {
        let found = if path.is_secret() { kind(value).to_owned() } else { shown(value) };
        self.add(path, format!("expected {expected}, found {found}"));
    }

    pub(crate) fn wrong_name(&mut self, path: &JsonPath, expected: &str, name: &str) {
        self.add(path, format!("expected {expected}, found {:?}", shown_name(path, name)));
    }

    pub(crate) fn twice(&mut self, path: &JsonPath, key: &str) {
        self.add(path, format!("duplicate key {:?}", shown_name(path, key)));
    }

    pub(crate) fn unknown(&mut self, path: &JsonPath, key: &str, nearest: Option<&'static str>) {
        let key: String = key.chars().take(SHOWN_CHARS).collect();
        let nearest = nearest.map(|key| format!("; did you mean {key:?}?")).unwrap_or_default();
        self.add(path, format!("unknown key {key:?}{nearest}"));
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
                self.add(&path, format!("expected {expected}, found nothing: the key is missing"));
            }
            (_, Some(value)) => self.wrong(&path, &expected, value),
        }
    }
}

/// A user who writes `"TOKEN=abc": ""` or `"Authorization: abc": ""` has put the secret into the name.
fn shown_name<'n>(path: &JsonPath, name: &'n str) -> &'n str {
    match name.split_once(['=', ':']) {
        Some((start, _)) if path.is_secret() => start,
        _ => name,
    }
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
        problems.wrong(&path, "a number", &Json::Bool(true));
        assert_eq!(problems.found, ["--max-turns: expected a number, found true"]);
    }
}
