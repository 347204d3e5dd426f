//! The path of a value in a document, for messages: `guardrails[1].failAction`.

use std::fmt;

use json_reader::{FieldPath, Json, Place};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JsonPath(Vec<PathStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Item(usize),
}

/// What a document contains at a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lookup<'j> {
    Value(&'j Json),
    /// A `null`, or a list without such an item or key: lower layers are not consulted.
    TakenBack,
    Nothing,
}

impl JsonPath {
    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(PathStep::Key(key.to_owned()))
    }

    pub(crate) fn item(&self, index: usize) -> Self {
        self.with(PathStep::Item(index))
    }

    /// Whether the value must not be printed.
    pub(crate) fn is_secret(&self) -> bool {
        let is_key =
            |at: usize, name: &str| self.0.get(at) == Some(&PathStep::Key(name.to_owned()));
        is_key(0, "env")
            || is_key(0, "telemetry")
            || (is_key(0, "notifications") && is_key(1, "webhook"))
    }

    pub(crate) fn look_up<'j>(&self, document: &'j Json) -> Lookup<'j> {
        let mut here = document;
        let mut in_list = false;
        for step in &self.0 {
            let next = match (step, here) {
                (PathStep::Key(key), Json::Object(_)) => here.get(key),
                (PathStep::Item(index), Json::Array(items)) => items.get(*index),
                _ => None,
            };
            in_list |= matches!(here, Json::Array(_));
            here = match next {
                Some(Json::Null) => return Lookup::TakenBack,
                Some(next) => next,
                None if in_list => return Lookup::TakenBack,
                None => return Lookup::Nothing,
            };
        }
        Lookup::Value(here)
    }

    fn with(&self, step: PathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl Place for JsonPath {
    fn child(&self, field: FieldPath) -> Self {
        match field {
            FieldPath::Whole => self.clone(),
            FieldPath::Named(name) => self.key(name),
            FieldPath::Item(name, index) => self.key(name).item(index),
        }
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Item(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) if !is_plain(key) => write!(f, "[{key:?}]")?,
                PathStep::Key(key) if position == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// A key that needs no quotes. Any other could contain terminal escapes or be misread.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_in_a_program() {
        let path = JsonPath::default().key("guardrails").item(1).key("failAction");
        assert_eq!(path.to_string(), "guardrails[1].failAction");
        let odd = JsonPath::default().key("variables").key("a.b\u{1b}");
        assert_eq!(odd.to_string(), r#"variables["a.b\u{1b}"]"#);
    }

    #[test]
    fn a_lookup_finds_a_value_nothing_or_null() {
        let json = serde_json::from_str(r#"{"a": {"b": 1, "c": null}, "l": [{"x": 1}]}"#).unwrap();
        let root = JsonPath::default();
        let a = root.key("a");
        assert_eq!(a.key("b").look_up(&json), Lookup::Value(&Json::Number(1.into())));
        assert_eq!(a.key("c").look_up(&json), Lookup::TakenBack);
        assert_eq!(a.key("d").look_up(&json), Lookup::Nothing);
        let list = root.key("l");
        assert_eq!(list.item(0).key("x").look_up(&json), Lookup::Value(&Json::Number(1.into())));
        assert_eq!(list.item(0).key("y").look_up(&json), Lookup::TakenBack);
        assert_eq!(list.item(1).look_up(&json), Lookup::TakenBack);
    }
}
