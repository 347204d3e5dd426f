//! The reviewer and the number of reviews, and quality reviews, whose warnings block nothing.

use json_reader::{BOOL, Leaf};
use run_options::AtReviewCap;
use serde::Serialize;

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::second_agent::SecondAgent;
use crate::section::{Keys, Section};

/// How finished stories are reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(default = "crate::section::defaults::<Self>")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Review {
    #[serde(flatten)]
    pub by: SecondAgent,
    /// The most reviews of a story.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub cap: u64,
    /// What happens at the last review: it must approve the story, with its concerns on record (`approve`), or the
    /// story fails unless it is approved (`fail`).
    pub at_cap: AtReviewCap,
    /// Accept implementations without a review. The checks must still pass.
    pub skip: bool,
}

impl Section for Review {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            by: SecondAgent::read(keys),
            cap: keys.or("cap", POSITIVE, 5),
            at_cap: keys.optional("atCap", Leaf::word()).unwrap_or_default(),
            skip: keys.optional("skip", BOOL).unwrap_or_default(),
        }
    }
}

/// A quality review of each passing story. Its warnings are reported and block nothing.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Quality {
    /// Enable quality reviews.
    pub enabled: bool,
    /// A file with your own prompt for the review, relative to the project.
    pub prompt_file: Option<String>,
    #[serde(flatten)]
    pub by: SecondAgent,
}

impl Section for Quality {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            enabled: keys.optional("enabled", BOOL).unwrap_or_default(),
            prompt_file: keys.optional("promptFile", NON_BLANK),
            by: SecondAgent::read(keys),
        }
    }
}
