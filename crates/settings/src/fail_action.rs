//! The effect of a failed guardrail on the next prompt.

use serde::Serialize;

use crate::leaf::Leaf;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FailAction {
    /// The message is appended to the prompt.
    #[default]
    Append,
    /// The message is prepended to the prompt.
    Prepend,
    /// The message replaces the prompt.
    Replace,
}

impl FailAction {
    /// In any case, because people type it by hand.
    pub(crate) const LEAF: Leaf<Self> = Leaf {
        expected: "\"APPEND\", \"PREPEND\" or \"REPLACE\"",
        read: |json| Self::from_word(json.text()?),
    };

    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_uppercase().as_str() {
            "APPEND" => Some(Self::Append),
            "PREPEND" => Some(Self::Prepend),
            "REPLACE" => Some(Self::Replace),
            _ => None,
        }
    }
}

/// The list is what editors offer, the pattern is what is accepted.
#[cfg(test)]
impl schemars::JsonSchema for FailAction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FailAction".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        const ANY_CASE: &str = "^([Aa][Pp][Pp][Ee][Nn][Dd]|[Pp][Rr][Ee][Pp][Ee][Nn][Dd]|\
            [Rr][Ee][Pp][Ll][Aa][Cc][Ee])$";
        schemars::json_schema!({ "anyOf": [
            { "enum": ["APPEND", "PREPEND", "REPLACE"] },
            { "type": "string", "pattern": ANY_CASE },
        ] })
    }
}
