//! Digests of the fields of a story or of the list, to detect changes without storing values.
//!
//! A digest covers the value, not its text: key order, whitespace, escapes and number notation do
//! not matter, and an unset optional field equals a missing one. `snapshot` compares
//! `acceptanceCriteria`, `verifyCommands` and the review state.

use std::collections::BTreeMap;

use json_reader::{Entry, Json};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::StoryId;

/// 64 bits suffice: no session has time to find a second preimage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, derive_more::Display)]
#[display("{_0:016x}")]
#[serde(into = "String", from = "String")]
pub struct FieldDigest(u64);

/// Keyed by field name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldDigests(BTreeMap<String, FieldDigest>);

/// How a field changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum FieldEdit {
    Added,
    Changed,
    Removed,
}

pub(crate) const DEPENDS_ON: &str = "dependsOn";
pub(crate) const MODEL: &str = "model";
pub(crate) const NOTES: &str = "notes";
pub(crate) const PRIORITY: &str = "priority";
pub(crate) const PROOF: &str = "proof";
pub(crate) const REVIEW_FEEDBACK: &str = "reviewFeedback";
pub(crate) const SOURCE: &str = "source";

impl FieldDigests {
    /// Digests all entries except those in `others`.
    pub(crate) fn of(entries: &[Entry], others: &[&str]) -> Self {
        let mut hashes: BTreeMap<&str, Sha256> = BTreeMap::new();
        for (name, value) in entries {
            if !others.contains(&name.as_str()) && !is_unset(name, value) {
                // A duplicate key counts twice.
                digest(name, value, hashes.entry(name).or_default());
            }
        }
        let digests = hashes.into_iter().map(|(name, hash)| (name.to_owned(), hash.into()));
        Self(digests.collect())
    }

    /// The fields that differ from `self`'s, by name.
    pub(crate) fn edits<'a>(
        &'a self,
        after: &'a Self,
    ) -> impl Iterator<Item = (&'a str, FieldEdit)> {
        let gone_or_changed = self.0.iter().filter_map(|(name, old)| match after.0.get(name) {
            None => Some((name.as_str(), FieldEdit::Removed)),
            Some(new) if new != old => Some((name.as_str(), FieldEdit::Changed)),
            Some(_) => None,
        });
        let added = after.0.keys().filter(|name| !self.0.contains_key(*name));
        gone_or_changed.chain(added.map(|name| (name.as_str(), FieldEdit::Added)))
    }

    pub(crate) fn get(&self, name: &str) -> Option<FieldDigest> {
        self.0.get(name).copied()
    }
}

impl FieldDigest {
    /// The digest of a `dependsOn` with these ids; their order does not matter.
    pub(crate) fn of_dependencies<'i>(ids: impl IntoIterator<Item = &'i StoryId>) -> Option<Self> {
        let mut ids: Vec<&str> = ids.into_iter().map(StoryId::as_str).collect();
        let mut hash = Sha256::new();
        digest_set(&mut ids, &mut hash);
        (!ids.is_empty()).then(|| hash.into())
    }
}

impl From<Sha256> for FieldDigest {
    fn from(hash: Sha256) -> Self {
        let bytes: [u8; 32] = hash.finalize().into();
        Self(bytes.iter().take(8).fold(0, |digest, byte| digest << 8 | u64::from(*byte)))
    }
}

/// Whether the field equals a missing one.
fn is_unset(name: &str, value: &Json) -> bool {
    match (value, name) {
        (Json::Null, "description" | NOTES | DEPENDS_ON | "splitFrom" | MODEL | "skills")
        | (Json::Null, "needsDocs" | "libraries" | "touches" | "maxTurns" | PROOF | SOURCE) => true,
        (Json::Text(text), "description" | NOTES | REVIEW_FEEDBACK) => text.is_empty(),
        (Json::Array(items), DEPENDS_ON | "skills" | "libraries" | "touches") => items.is_empty(),
        (Json::Bool(value), "needsDocs") => !value,
        _ => false,
    }
}

fn digest(name: &str, value: &Json, hash: &mut Sha256) {
    if let (DEPENDS_ON, Json::Array(items)) = (name, value)
        && let Some(mut ids) = items.iter().map(Json::text).collect::<Option<Vec<&str>>>()
    {
        return digest_set(&mut ids, hash);
    }
    digest_value(value, hash);
}

fn digest_set(ids: &mut Vec<&str>, hash: &mut Sha256) {
    ids.sort_unstable();
    ids.dedup();
    ids.iter().for_each(|id| digest_text(id, hash));
}

/// Prefixes each value with its type and length, so that different values give different bytes.
fn digest_value(value: &Json, hash: &mut Sha256) {
    match value {
        Json::Null => hash.update("null"),
        Json::Bool(true) => hash.update("true"),
        Json::Bool(false) => hash.update("false"),
        Json::Number(number) => hash.update(format!("number {};", canonical(number))),
        Json::Text(text) => digest_text(text, hash),
        Json::Array(items) => {
            hash.update(format!("array {};", items.len()));
            items.iter().for_each(|item| digest_value(item, hash));
        }
        Json::Object(entries) => {
            hash.update(format!("object {};", entries.len()));
            let mut entries: Vec<&Entry> = entries.iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (name, value) in entries {
                digest_text(name, hash);
                digest_value(value, hash);
            }
        }
    }
}

fn digest_text(text: &str, hash: &mut Sha256) {
    hash.update(b"text ");
    hash.update(text.len().to_le_bytes());
    hash.update(text);
}

/// `1`, `1.0` and `10e-1` are the same number.
fn canonical(number: &serde_json::Number) -> String {
    const WHOLE_BELOW: f64 = 1e18;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < WHOLE_BELOW => {
            format!("{}", float as i64)
        }
        _ => number.to_string(),
    }
}

impl From<FieldDigest> for String {
    fn from(digest: FieldDigest) -> Self {
        digest.to_string()
    }
}

impl From<String> for FieldDigest {
    /// Text other than 16 hex digits becomes a digest that matches nothing.
    fn from(text: String) -> Self {
        Self(u64::from_str_radix(&text, 16).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(object: &str) -> FieldDigests {
        match serde_json::from_str(object).unwrap() {
            Json::Object(entries) => FieldDigests::of(&entries, &["id"]),
            other => panic!("{other:?}"),
        }
    }

    fn edits(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (digests(before), digests(after));
        before.edits(&after).map(|(name, edit)| format!("{name} {edit}")).collect()
    }

    #[test]
    fn another_way_to_write_the_same_value_is_no_change() {
        let one =
            r#"{"id":"A","priority":1,"x":{"a":[1,-2,1e3],"b":null},"title":"caf\u00e9","y":0.5}"#;
        let other = r#"{ "y":5e-1, "title" : "café", "x":{"b" : null,"a":[ 1.0,-2.0,1000 ]},
                         "priority":10e-1, "id":"B" }"#;
        assert_eq!(edits(one, other), [""; 0]);
        assert_eq!(edits(r#"{"n":100000000000000000}"#, r#"{"n":1e17}"#), [""; 0]);
        assert_eq!(edits(r#"{"n":0}"#, r#"{"n":-0.0}"#), [""; 0]);
    }

    #[test]
    fn an_unset_optional_field_equals_a_missing_one() {
        let unset = r#"{"description":"","notes":null,"dependsOn":[],"skills":null,"needsDocs":false,
                        "libraries":[],"model":null,"maxTurns":null,"splitFrom":null,"reviewFeedback":""}"#;
        assert_eq!(edits("{}", unset), [""; 0]);
        assert_eq!(
            edits("{}", r#"{"model":""}"#),
            ["model added"],
            "an agent would be called with it"
        );
        assert_eq!(edits("{}", r#"{"x":null,"y":[]}"#), ["x added", "y added"]);
    }

    #[test]
    fn different_values_have_different_digests() {
        let values = [
            "null",
            "true",
            "false",
            "0",
            "1",
            "1.5",
            "\"\"",
            "\"1\"",
            "\"true\"",
            "\"null\"",
            "[]",
            "{}",
            "[1]",
            "[[1]]",
            "[1,1]",
            "[\"1\",\"1\"]",
            "[\"11\"]",
            "{\"a\":1}",
            "{\"a\":1,\"b\":1}",
            "[\"a\",1]",
            "\" \"",
            "[null]",
            "9007199254740993",
            "9007199254740992",
            "1e300",
            "-1",
        ];
        for (n, one) in values.iter().enumerate() {
            for (m, other) in values.iter().enumerate() {
                let field = |value: &str| format!("{{\"x\":{value}}}");
                let found = edits(&field(one), &field(other));
                assert_eq!(found.is_empty(), n == m, "{one} {other}");
            }
        }
        assert_eq!(edits(r#"{"x":1}"#, r#"{"x":1,"x":1}"#), ["x changed"], "a duplicate key");
        assert_eq!(
            edits(r#"{"a":1,"b":2}"#, r#"{"b":1,"c":2}"#),
            ["a removed", "b changed", "c added"]
        );
    }

    #[test]
    fn dependencies_are_a_set() {
        let of = |ids: &str| digests(&format!("{{\"dependsOn\":[{ids}]}}"));
        assert_eq!(of(r#""A","B""#), of(r#""B","A","A""#));
        assert_ne!(of(r#""A","B""#), of(r#""AB""#));
        let ids = ["B", "A"].map(|id| StoryId::new(id).unwrap());
        assert_eq!(of(r#""A","B""#).get(DEPENDS_ON), FieldDigest::of_dependencies(&ids));
        assert_eq!(FieldDigest::of_dependencies([]), None);
    }

    #[test]
    fn a_digest_is_read_as_it_was_written_and_anything_else_matches_nothing() {
        let written = digests(r#"{"title":"t","priority":3}"#);
        let json = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<FieldDigests>(&json).unwrap(), written);
        let odd: FieldDigests = serde_json::from_str(r#"{"title":"zz","priority":""}"#).unwrap();
        assert_eq!(odd.edits(&written).count(), 2);
        assert_eq!(json.len(), r#"{"priority":"","title":""}"#.len() + 32);
    }
}
