//! The effect of a failed guardrail on the next prompt.

use serde::{Deserialize, Serialize};

use crate::Word;

#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE", ascii_case_insensitive)]
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
    const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    fn name(self) -> &'static str {
        self.into()
    }

    /// In any case, because people type it by hand.
    fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
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
