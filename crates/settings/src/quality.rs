//! Who looks at the quality of what was done, for warnings that block nothing.

use serde::Serialize;

use crate::leaf::{BOOL, WORDING};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::second_agent::SecondAgent;

/// A look at the quality of a story that passes. Its warnings are reported and block nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Quality {
    /// Whether anybody looks.
    pub enabled: bool,
    /// A file with a prompt of your own for it, from the project's root.
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
            prompt_file: keys.leaf("promptFile", WORDING),
            by: SecondAgent::from_keys(keys)?,
        })
    }
}
