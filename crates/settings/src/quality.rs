//! Quality reviews, whose warnings block nothing.

use serde::Serialize;

use crate::leaf::{BOOL, NON_BLANK};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::second_agent::SecondAgent;

/// A quality review of each passing story. Its warnings are reported and block nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Quality {
    /// Enable quality reviews.
    pub enabled: bool,
    /// A file with your own prompt for the review, relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub prompt_file: Option<String>,
    #[serde(flatten)]
    pub by: SecondAgent,
}

impl FromKeys for Quality {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        Some(Self {
            enabled: keys.leaf("enabled", BOOL).unwrap_or_default(),
            prompt_file: keys.leaf("promptFile", NON_BLANK),
            by: SecondAgent::from_keys(keys)?,
        })
    }
}
