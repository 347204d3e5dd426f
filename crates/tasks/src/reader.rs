//! Reads the fields of one JSON object and collects schema problems.
//!
//! Continues after a problem, so that one pass reports all of them.

use std::borrow::Cow;

use crate::json::{Entry, Json};
use crate::known_keys::KeyCheck;
use crate::problem::{FieldPath, Problem, ProblemPlace, Problems};
use crate::schema::UnknownKey;
use crate::{ReviewStatus, SkillName, StoryId, show};

pub(crate) struct ObjectReader<'r, 'j, 'p> {
    entries: &'r [Entry<'j>],
    place: ProblemPlace,
    problems: &'p mut Problems,
}

/// A value of one JSON type, without conversion between types.
pub(crate) trait FromJson: Sized {
    const EXPECTED: &'static str;
    fn from_json(value: &Json<'_>) -> Option<Self>;
}

impl<'r, 'j, 'p> ObjectReader<'r, 'j, 'p> {
    pub(crate) fn new(
        entries: &'r [Entry<'j>],
        place: ProblemPlace,
        problems: &'p mut Problems,
    ) -> Self {
        Self { entries, place, problems }
    }

    pub(crate) fn required<T: FromJson>(&mut self, name: &'static str) -> Option<T> {
        match self.entry(name) {
            Some(value) => self.converted(name, value),
            None => {
                self.report(FieldPath::Named(name), T::EXPECTED, "nothing: the field is missing");
                None
            }
        }
    }

    /// `null` means "not set".
    pub(crate) fn optional<T: FromJson>(&mut self, name: &'static str) -> Option<T> {
        match self.entry(name) {
            None | Some(Json::Null) => None,
            Some(value) => self.converted(name, value),
        }
    }

    /// Whether an optional field is set.
    pub(crate) fn is_set(&mut self, name: &'static str) -> bool {
        !matches!(self.entry(name), None | Some(Json::Null))
    }

    pub(crate) fn required_array(&mut self, name: &'static str) -> Option<&'r [Json<'j>]> {
        match self.entry(name) {
            Some(Json::Array(items)) => Some(items),
            Some(other) => {
                self.report(FieldPath::Named(name), "an array", show::found(other));
                None
            }
            None => {
                self.report(FieldPath::Named(name), "an array", "nothing: the field is missing");
                None
            }
        }
    }

    /// Every item that is a `T`; each other item is a problem.
    pub(crate) fn optional_items<T: FromJson>(&mut self, name: &'static str) -> Vec<T> {
        match self.entry(name) {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(items)) => self.items(name, items),
            Some(other) => {
                self.report(FieldPath::Named(name), "an array", show::found(other));
                Vec::new()
            }
        }
    }

    pub(crate) fn items<T: FromJson>(&mut self, name: &'static str, items: &[Json<'_>]) -> Vec<T> {
        let mut read = Vec::new();
        for (position, item) in items.iter().enumerate() {
            match T::from_json(item) {
                Some(value) => read.push(value),
                None => {
                    self.report(FieldPath::Item(name, position), T::EXPECTED, show::found(item))
                }
            }
        }
        read
    }

    /// Collects unknown keys; misspelled ones become problems.
    pub(crate) fn unknown_keys(
        &mut self,
        known: &[&'static str],
        check: &mut KeyCheck,
        noted: &mut Vec<UnknownKey>,
    ) {
        for (key, _) in self.entries.iter().filter(|(key, _)| !known.contains(&&**key)) {
            match check.meant(key, known) {
                Some(meant) => {
                    let (place, key) = (&self.place, key.as_ref());
                    self.problems.push(|| Problem::MisspelledKey {
                        place: place.clone(),
                        key: key.to_owned(),
                        meant,
                    });
                }
                None if noted.len() < UnknownKey::MOST => {
                    noted.push(UnknownKey { place: self.place.clone(), key: show::name(key) });
                }
                None => {}
            }
        }
    }

    pub(crate) fn report(
        &mut self,
        field: FieldPath,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) {
        let place = &self.place;
        self.problems.push(|| Problem::Field {
            place: place.clone(),
            field,
            expected: expected.into(),
            found: found.into(),
        });
    }

    fn converted<T: FromJson>(&mut self, name: &'static str, value: &Json<'_>) -> Option<T> {
        let converted = T::from_json(value);
        if converted.is_none() {
            self.report(FieldPath::Named(name), T::EXPECTED, show::found(value));
        }
        converted
    }

    fn entry(&mut self, name: &'static str) -> Option<&'r Json<'j>> {
        let mut matches = self.entries.iter().filter(|(key, _)| key == name);
        let first = matches.next();
        let others = matches.count();
        if others > 0 {
            self.report(
                FieldPath::Named(name),
                "the key once",
                format!("it {} times in the same object", others + 1),
            );
        }
        first.map(|(_, value)| value)
    }
}

impl FromJson for String {
    const EXPECTED: &'static str = "a string";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Text(text) => Some(text.clone().into_owned()),
            _ => None,
        }
    }
}

impl FromJson for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromJson for f64 {
    const EXPECTED: &'static str = "a number (1 is first)";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Number(number) => number.as_f64(),
            _ => None,
        }
    }
}

impl FromJson for u64 {
    const EXPECTED: &'static str = "a whole number, 0 or more";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Number(number) => number.as_u64(),
            _ => None,
        }
    }
}

impl FromJson for ReviewStatus {
    const EXPECTED: &'static str = "null, \"needs_review\", \"changes_requested\" or \"approved\"";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Null => Some(Self::NotSubmitted),
            Json::Text(word) => Self::from_json(Some(word)),
            _ => None,
        }
    }
}

impl FromJson for StoryId {
    const EXPECTED: &'static str = "a story id of 1 to 64 characters out of A-Z a-z 0-9 . _ -";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Text(text) => Self::new(text.as_ref()).ok(),
            _ => None,
        }
    }
}

impl FromJson for SkillName {
    const EXPECTED: &'static str =
        "the name of a skill: 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Text(text) => Self::new(text.as_ref()).ok(),
            _ => None,
        }
    }
}

/// Keeps the notation of the number.
impl FromJson for serde_json::Number {
    const EXPECTED: &'static str = <f64 as FromJson>::EXPECTED;
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Number(number) => Some(number.clone()),
            _ => None,
        }
    }
}

/// A non-empty string.
pub(crate) struct Sentence(pub(crate) String);

impl FromJson for Sentence {
    const EXPECTED: &'static str = "a non-empty string";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Text(text) if !text.trim().is_empty() => Some(Self(text.clone().into_owned())),
            _ => None,
        }
    }
}

/// A non-empty string on one line, without control characters.
pub(crate) struct Headline(pub(crate) String);

impl FromJson for Headline {
    const EXPECTED: &'static str = "a non-empty string on one line";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        let Sentence(text) = Sentence::from_json(value)?;
        (!text.contains(char::is_control)).then_some(Self(text))
    }
}

pub(crate) struct Positive(pub(crate) u64);

impl FromJson for Positive {
    const EXPECTED: &'static str = "a whole number, 1 or more";
    fn from_json(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Number(number) => number.as_u64().filter(|n| *n > 0).map(Self),
            _ => None,
        }
    }
}
