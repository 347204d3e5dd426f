//! A JSON document with its key order and duplicate keys.
//!
//! `serde_json::Value` keeps only the last of two equal keys. Another reader may use the first, so
//! duplicates must be visible.

use std::fmt;

use itertools::Itertools;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<Entry>),
}

/// Key and value of an object.
pub type Entry = (String, Json);

impl Json {
    /// Passes the items of the array at `key` to `each` one by one and keeps none, so that a long
    /// list takes the memory of one item.
    pub fn parse_each(
        text: &str,
        key: &str,
        each: &mut dyn FnMut(Json),
    ) -> serde_json::Result<Self> {
        let mut text = serde_json::Deserializer::from_str(text);
        let json = JsonSeed::ItemsAt(key, each).deserialize(&mut text)?;
        text.end().map(|()| json)
    }

    /// The first value with this key, if this is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Empty for everything but an object.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        // A value in memory always deserializes.
        Self::deserialize(value).unwrap_or(Self::Null)
    }
}

/// As JSON, on one line.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => Value::from(text.as_str()).fmt(f),
            Self::Array(items) => write!(f, "[{}]", items.iter().format(", ")),
            Self::Object(entries) => {
                let entries = entries.iter().format_with(", ", |(key, value), f| {
                    f(&format_args!("{}: {value}", Value::from(key.as_str())))
                });
                write!(f, "{{{entries}}}")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        JsonSeed::Whole.deserialize(deserializer)
    }
}

enum JsonSeed<'f> {
    Whole,
    ItemsAt(&'f str, &'f mut dyn FnMut(Json)),
    Items(&'f mut dyn FnMut(Json)),
}

impl<'de> DeserializeSeed<'de> for JsonSeed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSeed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            match &mut self {
                Self::Items(each) => each(item),
                _ => array.push(item),
            }
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = match &mut self {
                Self::ItemsAt(name, each) if key == *name => {
                    entries.next_value_seed(JsonSeed::Items(each))?
                }
                _ => entries.next_value()?,
            };
            object.push((key, value));
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_their_doubles() {
        let json: Json = serde_json::from_str(r#"{"b": 1, "a": 2, "b": 3}"#).unwrap();
        let keys: Vec<&str> = json.entries().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(json.to_string(), r#"{"b": 1, "a": 2, "b": 3}"#);
    }

    #[test]
    fn only_the_items_of_one_array_are_passed_on() {
        let mut passed = Vec::new();
        let text = r#"{"a": [1], "b": [2, {"b": [3]}], "b": 4}"#;
        let json = Json::parse_each(text, "b", &mut |item| passed.push(item.to_string())).unwrap();
        assert_eq!(json.to_string(), r#"{"a": [1], "b": [], "b": 4}"#);
        assert_eq!(passed, ["2", r#"{"b": [3]}"#]);
        assert!(Json::parse_each("{} x", "b", &mut |_| {}).is_err());
    }
}
