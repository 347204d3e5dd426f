//! Reads the fields of one object of a plan and collects all problems in one pass.
//!
//! `null` means "not set".

use serde_json::{Map, Number, Value};

pub(super) struct PlanFields<'p> {
    /// The fields that were not read yet.
    object: Map<String, Value>,
    /// Prefix of field names in problems; empty at the top level.
    place: String,
    /// Also for the fields of an object within this one.
    pub(super) problems: &'p mut Vec<String>,
}

impl<'p> PlanFields<'p> {
    pub(super) fn new(
        object: Map<String, Value>,
        place: String,
        problems: &'p mut Vec<String>,
    ) -> Self {
        Self { object, place, problems }
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.one(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A required string that is not blank.
    pub(super) fn sentence(&mut self, name: &str) -> Option<String> {
        let found = self.object.remove(name).unwrap_or_default();
        let text = found.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let blank = if found.is_string() { " that is not blank" } else { "" };
            self.report(name, &format!("a string{blank}"), &found);
        }
        text.map(str::to_owned)
    }

    pub(super) fn positive(&mut self, name: &str) -> Option<u64> {
        let positive = |value: &Value| value.as_u64().filter(|number| *number > 0);
        self.one(name, "a whole number, 1 or more", positive)
    }

    pub(super) fn count(&mut self, name: &str) -> Option<u64> {
        self.one(name, "a whole number, 0 or more", Value::as_u64)
    }

    pub(super) fn number(&mut self, name: &str) -> Option<Number> {
        self.one(name, "a number", |value| value.as_number().cloned())
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.one(name, "true or false", Value::as_bool).unwrap_or_default()
    }

    /// Maps one of the given words to its value.
    pub(super) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        self.one(name, &format!("one of {}", names.join(", ")), |value| {
            let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
            found.map(|(_, meaning)| *meaning)
        })
    }

    pub(super) fn texts(&mut self, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (position, item) in self.array(name).unwrap_or_default().iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.report(&format!("{name}[{position}]"), "a string", item),
            }
        }
        texts
    }

    /// `None` if the field is not set.
    pub(super) fn array(&mut self, name: &str) -> Option<Vec<Value>> {
        match self.set(name)? {
            Value::Array(items) => Some(items),
            other => {
                self.report(name, "an array", &other);
                Some(Vec::new())
            }
        }
    }

    /// The names of the fields that no other method has read.
    pub(super) fn unread(&self) -> Vec<String> {
        self.object.keys().cloned().collect()
    }

    pub(super) fn report(&mut self, field: &str, expected: &str, found: &Value) {
        let (place, found) = (&self.place, shown(found));
        self.problems.push(format!("{place}{field}: expected {expected}, found {found}"));
    }

    fn one<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.set(name)?;
        let read = read(&value);
        if read.is_none() {
            self.report(name, expected, &value);
        }
        read
    }

    fn set(&mut self, name: &str) -> Option<Value> {
        self.object.remove(name).filter(|value| !value.is_null())
    }
}

/// A value for a message: short and on one line.
fn shown(value: &Value) -> String {
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
