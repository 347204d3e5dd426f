//! Quality reviews, whose warnings block nothing.

use json_reader::BOOL;
use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::second_agent::SecondAgent;
use crate::section::{Keys, Section};

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

impl Section for Quality {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("enabled", &mut self.enabled, BOOL);
        keys.set("promptFile", &mut self.prompt_file, NON_BLANK);
        self.by.read(keys);
    }
}
