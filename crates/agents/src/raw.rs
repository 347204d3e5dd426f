//! A part of a JSON line that is parsed on demand.
//!
//! A part of an unexpected type counts as absent, and a megabyte of tool output is skipped, not copied.

use std::borrow::Cow;
use std::fmt;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::one_line::one_line;

#[derive(Debug, Clone, Copy, Default, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Raw<'a>(#[serde(borrow)] Option<&'a RawValue>);

impl<'a> Raw<'a> {
    pub(crate) fn is_present(self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn json(self) -> &'a str {
        self.0.map_or("", RawValue::get)
    }

    pub(crate) fn parse<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0?.get()).ok()
    }

    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        // Strict first: the lossy decoding validates the bytes again.
        let strict = self.parse().map(|StrictText(text)| text);
        strict.or_else(|| self.parse().map(|Text(text)| text))
    }

    pub(crate) fn string(self) -> Option<String> {
        self.text().map(Cow::into_owned)
    }

    pub(crate) fn is(self, text: &str) -> bool {
        self.text().as_deref() == Some(text)
    }

    pub(crate) fn flag(self) -> Option<bool> {
        self.parse()
    }

    pub(crate) fn number(self) -> Option<f64> {
        self.parse()
    }

    /// Rounded down, because JavaScript only has floating-point numbers.
    pub(crate) fn whole(self) -> Option<u64> {
        self.number().filter(|number| *number >= 0.0).map(|number| number as u64)
    }

    /// A number of tokens or attempts; a missing one is zero.
    pub(crate) fn count(self) -> u64 {
        self.whole().unwrap_or(0)
    }

    /// An HTTP status.
    pub(crate) fn status(self) -> Option<u16> {
        self.whole().and_then(|status| status.try_into().ok())
    }

    /// The items of a list; empty if it is not a list.
    pub(crate) fn items(self) -> Vec<Raw<'a>> {
        self.parse().unwrap_or_default()
    }

    /// The objects of a list, without its other items.
    pub(crate) fn objects(self) -> Vec<Object<'a>> {
        // In one pass if all are objects, because an item can contain megabytes.
        self.parse().unwrap_or_else(|| self.items().into_iter().filter_map(Raw::parse).collect())
    }

    /// The fields of an object; none if it is not an object.
    pub(crate) fn fields(self) -> Object<'a> {
        self.parse().unwrap_or_default()
    }

    /// One bounded line of a text.
    pub(crate) fn summary(self) -> Option<String> {
        self.text().map(|text| one_line(&text))
    }
}

/// The fields of a JSON object. A missing field is an absent part.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(pub(crate) Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor).map(Self)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Vec<(Cow<'de, str>, Raw<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        // Few objects have more.
        let mut fields = Vec::with_capacity(8);
        while let Some((Text(name), value)) = map.next_entry()? {
            fields.push((name, value));
        }
        Ok(fields)
    }
}

impl<'a> Index<&str> for Object<'a> {
    type Output = Raw<'a>;

    fn index(&self, name: &str) -> &Raw<'a> {
        // The last of several, as in other JSON readers.
        let field = self.0.iter().rfind(|(field, _)| field == name);
        field.map_or(&Raw(None), |(_, value)| value)
    }
}

/// A JSON string. JavaScript can cut a string inside a surrogate pair; half a pair becomes a replacement character.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct StrictText<'a>(#[serde(borrow)] Cow<'a, str>);

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
        Ok(Text(lossy(bytes)))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(text.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(text.to_owned().into()))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
        Ok(Text(lossy(bytes).into_owned().into()))
    }
}

/// Strict first, because the lossy decoding is several times slower.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn another_type_is_absent() {
        assert_eq!(raw("7").text(), None);
        assert_eq!(raw(r#""7""#).number(), None);
        assert_eq!(raw("null").flag(), None);
        assert_eq!(raw("-1").whole(), None);
        assert_eq!(raw("1e999").whole(), None);
        assert!(raw("{}").items().is_empty());
        assert_eq!(raw("[\"a\"]").summary(), None);
    }

    #[test]
    fn numbers_as_javascript_writes_them() {
        assert_eq!(raw("1.7e9").whole(), Some(1_700_000_000));
        assert_eq!(raw("1778565600").whole(), Some(1_778_565_600));
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character() {
        let text = raw(r#""a\ud83d b""#).text().unwrap();
        assert!(text.starts_with('a') && text.ends_with(" b"), "{text}");
    }

    #[test]
    fn a_summary_is_the_first_line() {
        assert_eq!(raw(r#""first\nsecond""#).summary().as_deref(), Some("first"));
        for part in ["x", "ä", r"\n", r"\u00e4", r"\ud83d\ude00", r"\\", r#"\""#] {
            let json = format!("\"{}\"", part.repeat(2000));
            assert!(raw(&json).summary().is_some(), "{part}");
        }
    }

    #[test]
    fn a_missing_field_is_absent() {
        let object = raw(r#"{"a":1,"b":null}"#).fields();
        assert_eq!(object["a"].whole(), Some(1));
        assert!(!object["b"].is_present() && !object["c"].is_present());
        assert!(!raw("[1]").fields()["a"].is_present());
        assert_eq!(raw(r#"{"a":1,"a":2}"#).fields()["a"].whole(), Some(2));
    }
}
