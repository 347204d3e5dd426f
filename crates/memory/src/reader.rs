//! Reads values out of JSON that an agent wrote: takes what is usable, within bounds, and notes what
//! was not. What the fields mean is not known here.

use serde_json::{Map, Value};

use crate::problem::{Fault, Problem};

pub(crate) const LONGEST_LIST: usize = 200;
pub(crate) const LONGEST_TEXT: usize = 4_000;
const LONGEST_FOUND: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
}

/// One object, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) fields: &'a Map<String, Value>,
    pub(crate) at: &'a str,
}

/// Whether a field that is not there is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Always,
    Sometimes,
}

impl<'a> Place<'a> {
    fn of(self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// `null` says as much as nothing.
    fn field(self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }
}

impl Reader {
    pub(crate) fn note(&mut self, at: String, fault: Fault) {
        self.problems.push(Problem { at, fault });
    }

    pub(crate) fn unexpected(&mut self, at: String, expected: &'static str, found: &Value) {
        self.note(at, Fault::Unexpected { expected, found: found_words(found) });
    }

    pub(crate) fn object<'a>(
        &mut self,
        value: &'a Value,
        at: &str,
    ) -> Option<&'a Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() {
            self.unexpected(at.to_owned(), "an object", value);
        }
        object
    }

    pub(crate) fn child<'a>(
        &mut self,
        place: Place<'a>,
        name: &str,
    ) -> Option<&'a Map<String, Value>> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        self.object(value, &place.of(name))
    }

    /// Text without which its surroundings are worthless.
    pub(crate) fn text(&mut self, place: Place<'_>, name: &str) -> Option<String> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        let text = self.bounded(value, place.of(name))?;
        if text.trim().is_empty() {
            self.note(place.of(name), Fault::Blank);
            return None;
        }
        Some(text)
    }

    /// Text that may be missing, at the price of a note. Of another type it is no text.
    pub(crate) fn text_or_nothing(&mut self, place: Place<'_>, name: &str) -> Option<String> {
        match place.field(name) {
            Some(value) => self.bounded(value, place.of(name)),
            None => {
                self.note(place.of(name), Fault::Missing);
                Some(String::new())
            }
        }
    }

    /// Text that is as good as missing when it is none.
    pub(crate) fn text_if_any(&mut self, place: Place<'_>, name: &str) -> Option<String> {
        let value = place.field(name)?;
        self.bounded(value, place.of(name))
    }

    pub(crate) fn truth(&mut self, place: Place<'_>, name: &str) -> Option<bool> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        let truth = value.as_bool();
        if truth.is_none() {
            self.unexpected(place.of(name), "true or false", value);
        }
        truth
    }

    /// One of a few words, in whatever case.
    pub(crate) fn word<T: Copy>(
        &mut self,
        place: Place<'_>,
        name: &str,
        words: &[(&str, T)],
        expected: &'static str,
    ) -> Option<T> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        let said = value.as_str().map(str::trim).unwrap_or_default();
        let known = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(said));
        if known.is_none() {
            self.unexpected(place.of(name), expected, value);
        }
        known.map(|(_, meaning)| *meaning)
    }

    /// The same, where it may be missing.
    pub(crate) fn word_if_any<T: Copy>(
        &mut self,
        place: Place<'_>,
        name: &str,
        words: &[(&str, T)],
        expected: &'static str,
    ) -> Option<T> {
        place.field(name)?;
        self.word(place, name, words, expected)
    }

    /// The entries of a list that `read` can use.
    pub(crate) fn list<T>(
        &mut self,
        place: Place<'_>,
        name: &str,
        expected: Expected,
        mut read: impl FnMut(&mut Self, &Value, &str) -> Option<T>,
    ) -> Vec<T> {
        let at = place.of(name);
        let Some(value) = place.field(name) else {
            if expected == Expected::Always {
                self.note(at, Fault::Missing);
            }
            return Vec::new();
        };
        let Some(entries) = value.as_array() else {
            self.unexpected(at, "a list", value);
            return Vec::new();
        };
        if entries.len() > LONGEST_LIST {
            self.note(at.clone(), Fault::TooMany { found: entries.len(), kept: LONGEST_LIST });
        }
        let kept = entries.iter().take(LONGEST_LIST).enumerate();
        kept.filter_map(|(n, entry)| read(self, entry, &format!("{at}[{n}]"))).collect()
    }

    /// A list of objects that `read` can use.
    pub(crate) fn objects<T>(
        &mut self,
        place: Place<'_>,
        name: &str,
        expected: Expected,
        mut read: impl FnMut(&mut Self, Place<'_>) -> Option<T>,
    ) -> Vec<T> {
        self.list(place, name, expected, |reader, entry, at| {
            let fields = reader.object(entry, at)?;
            read(reader, Place { fields, at })
        })
    }

    /// A list of texts; one text is a list of one, and blank ones say nothing.
    pub(crate) fn texts(
        &mut self,
        place: Place<'_>,
        name: &str,
        expected: Expected,
    ) -> Vec<String> {
        if let Some(value @ Value::String(_)) = place.field(name) {
            let text = self.bounded(value, place.of(name));
            return text.into_iter().filter(|text| !text.trim().is_empty()).collect();
        }
        self.list(place, name, expected, |reader, entry, at| {
            let text = reader.bounded(entry, at.to_owned())?;
            (!text.trim().is_empty()).then_some(text)
        })
    }

    fn bounded(&mut self, value: &Value, at: String) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.unexpected(at, "text", value);
            return None;
        };
        let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) else {
            return Some(text.to_owned());
        };
        self.note(at, Fault::TooLong { kept: LONGEST_TEXT });
        Some(format!("{}…", &text[..end]))
    }
}

fn found_words(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => sanitize::plain(&number.to_string()),
        Value::String(text) => {
            let mut start: String = text.chars().take(LONGEST_FOUND).collect();
            if start.len() < text.len() {
                start.push('…');
            }
            format!("\"{}\"", sanitize::plain(&start))
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
