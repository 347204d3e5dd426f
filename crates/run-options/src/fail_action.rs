//! The effect of a failed guardrail on the next prompt.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Word;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

impl Word for FailAction {
    const ALL: &'static [Self] = &[Self::Append, Self::Prepend, Self::Replace];

    fn name(self) -> &'static str {
        match self {
            Self::Append => "APPEND",
            Self::Prepend => "PREPEND",
            Self::Replace => "REPLACE",
        }
    }

    /// In any case, because people type it by hand.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name().eq_ignore_ascii_case(word))
    }
}

impl fmt::Display for FailAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The list is what editors offer, the pattern is what is accepted.
#[cfg(feature = "schema")]
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
