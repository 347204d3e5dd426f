//! A JSON document with key order and duplicate keys.
//!
//! `serde_json::Value` keeps only the last of two equal keys. Another reader may use the first, so
//! duplicates must be visible.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Entries<'a>),
}

/// Name and value of an object's field.
pub(crate) type Entry<'a> = (Cow<'a, str>, Json<'a>);
pub(crate) type Entries<'a> = Vec<Entry<'a>>;

impl Json<'_> {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor { each_item: None })
    }
}

/// Passes array items to a callback one by one, so that a long list takes the memory of one item.
pub(crate) struct EachItem<'f, 'de>(pub(crate) &'f mut dyn FnMut(Json<'de>));

impl<'de> DeserializeSeed<'de> for EachItem<'_, 'de> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(JsonVisitor { each_item: Some(self.0) })
    }
}

struct JsonVisitor<'f, 'de> {
    each_item: Option<&'f mut dyn FnMut(Json<'de>)>,
}

impl<'de> Visitor<'de> for JsonVisitor<'_, 'de> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut array = Vec::new();
        let mut each_item = self.each_item;
        while let Some(item) = items.next_element()? {
            match &mut each_item {
                Some(hand_over) => hand_over(item),
                None => array.push(item),
            }
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut object = Vec::new();
        while let Some(Key(key)) = entries.next_key()? {
            object.push((key, entries.next_value()?));
        }
        Ok(Json::Object(object))
    }
}

/// An object key, borrowed from the document if possible.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Text(key) => Ok(Self(key)),
            _ => Err(D::Error::custom("an object key is not a string")),
        }
    }
}
