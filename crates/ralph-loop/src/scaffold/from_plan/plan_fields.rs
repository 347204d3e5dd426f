//! Reads the fields of one object of a plan and collects all problems in one pass.
//!
//! `null` means "not set".

use serde_json::{Map, Number, Value};

use super::plan_problem::{PlanProblem, shown};

pub(super) struct PlanFields<'v, 'p> {
    object: &'v Map<String, Value>,
    /// Prefix of field names in problems; empty at the top level.
    place: String,
    problems: &'p mut Vec<PlanProblem>,
}

impl<'v, 'p> PlanFields<'v, 'p> {
    pub(super) fn new(
        object: &'v Map<String, Value>,
        place: impl Into<String>,
        problems: &'p mut Vec<PlanProblem>,
    ) -> Self {
        Self { object, place: place.into(), problems }
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.one(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A required string that is not blank.
    pub(super) fn sentence(&mut self, name: &str) -> Option<String> {
        let sentence = self.text(name);
        match sentence {
            Some(text) if !text.trim().is_empty() => Some(text),
            Some(text) => {
                self.report(name, "a string that is not blank", &Value::from(text));
                None
            }
            None => {
                // A value of another type is already reported.
                if self.set(name).is_none() {
                    self.report(name, "a string", &Value::Null);
                }
                None
            }
        }
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
    pub(super) fn array(&mut self, name: &str) -> Option<&'v [Value]> {
        match self.set(name)? {
            Value::Array(items) => Some(items),
            other => {
                self.report(name, "an array", other);
                Some(&[])
            }
        }
    }

    pub(super) fn report(&mut self, field: &str, expected: &str, found: &Value) {
        self.problems.push(PlanProblem::Field {
            place: self.place.clone(),
            field: field.to_owned(),
            expected: expected.to_owned(),
            found: shown(found),
        });
    }

    /// For the fields of an object within this one.
    pub(super) fn problems(&mut self) -> &mut Vec<PlanProblem> {
        self.problems
    }

    fn one<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.set(name)?;
        let read = read(value);
        if read.is_none() {
            self.report(name, expected, value);
        }
        read
    }

    fn set(&self, name: &str) -> Option<&'v Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }
}
