//! Reads values from JSON that an agent wrote: keeps what is valid, within bounds, and reports the
//! rest. It does not know the meaning of fields.

use serde_json::{Map, Value};

use crate::problem::{Fault, Problem};

pub(crate) const LONGEST_LIST: usize = 200;
pub(crate) const LONGEST_TEXT: usize = 4_000;
const LONGEST_FOUND: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
}

/// One object and its path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonPlace<'a> {
    pub(crate) fields: &'a Map<String, Value>,
    pub(crate) at: &'a str,
}

/// Whether a missing field is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

impl<'a> JsonPlace<'a> {
    fn of(self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// `null` counts as missing.
    fn field(self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }
}

impl Reader {
    pub(crate) fn note(&mut self, at: String, fault: Fault) {
        self.problems.push(Problem { at, fault });
    }

    pub(crate) fn unexpected(&mut self, at: String, expected: &'static str, found: &Value) {
        self.note(at, Fault::Unexpected { expected, found: found_text(found) });
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
        place: JsonPlace<'a>,
        name: &str,
    ) -> Option<&'a Map<String, Value>> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        self.object(value, &place.of(name))
    }

    /// Text that its object requires.
    pub(crate) fn text(&mut self, place: JsonPlace<'_>, name: &str) -> Option<String> {
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

    /// Text that may be missing, which is reported. Another type counts as missing.
    pub(crate) fn text_or_nothing(&mut self, place: JsonPlace<'_>, name: &str) -> Option<String> {
        match place.field(name) {
            Some(value) => self.bounded(value, place.of(name)),
            None => {
                self.note(place.of(name), Fault::Missing);
                Some(String::new())
            }
        }
    }

    /// Optional text; another type counts as missing.
    pub(crate) fn text_if_any(&mut self, place: JsonPlace<'_>, name: &str) -> Option<String> {
        let value = place.field(name)?;
        self.bounded(value, place.of(name))
    }

    pub(crate) fn boolean(&mut self, place: JsonPlace<'_>, name: &str) -> Option<bool> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        let boolean = value.as_bool();
        if boolean.is_none() {
            self.unexpected(place.of(name), "true or false", value);
        }
        boolean
    }

    /// One of a few words, in any case.
    pub(crate) fn word<T: Copy>(
        &mut self,
        place: JsonPlace<'_>,
        name: &str,
        words: &[(&str, T)],
        expected: &'static str,
    ) -> Option<T> {
        let Some(value) = place.field(name) else {
            self.note(place.of(name), Fault::Missing);
            return None;
        };
        let text = value.as_str().map(str::trim).unwrap_or_default();
        let known = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        if known.is_none() {
            self.unexpected(place.of(name), expected, value);
        }
        known.map(|(_, meaning)| *meaning)
    }

    /// The same, but optional.
    pub(crate) fn word_if_any<T: Copy>(
        &mut self,
        place: JsonPlace<'_>,
        name: &str,
        words: &[(&str, T)],
        expected: &'static str,
    ) -> Option<T> {
        place.field(name)?;
        self.word(place, name, words, expected)
    }

    /// The entries of a list that `read` accepts.
    pub(crate) fn list<T>(
        &mut self,
        place: JsonPlace<'_>,
        name: &str,
        presence: Presence,
        mut read: impl FnMut(&mut Self, &Value, &str) -> Option<T>,
    ) -> Vec<T> {
        let at = place.of(name);
        let Some(value) = place.field(name) else {
            if presence == Presence::Required {
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

    /// The objects of a list that `read` accepts.
    pub(crate) fn objects<T>(
        &mut self,
        place: JsonPlace<'_>,
        name: &str,
        presence: Presence,
        mut read: impl FnMut(&mut Self, JsonPlace<'_>) -> Option<T>,
    ) -> Vec<T> {
        self.list(place, name, presence, |reader, entry, at| {
            let fields = reader.object(entry, at)?;
            read(reader, JsonPlace { fields, at })
        })
    }

    /// A list of texts; one text is a list of one, and blank ones are ignored.
    pub(crate) fn texts(
        &mut self,
        place: JsonPlace<'_>,
        name: &str,
        presence: Presence,
    ) -> Vec<String> {
        if let Some(value @ Value::String(_)) = place.field(name) {
            let text = self.bounded(value, place.of(name));
            return text.into_iter().filter(|text| !text.trim().is_empty()).collect();
        }
        self.list(place, name, presence, |reader, entry, at| {
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

fn found_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
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
