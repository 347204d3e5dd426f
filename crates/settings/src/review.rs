//! The reviewer and the number of reviews.

use run_options::AtReviewCap;
use serde::Serialize;

use crate::leaf::{BOOL, POSITIVE};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::second_agent::SecondAgent;
use crate::words::WordLeaf;

/// How finished stories are reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
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

impl Default for Review {
    fn default() -> Self {
        Self { by: SecondAgent::default(), cap: 5, at_cap: AtReviewCap::default(), skip: false }
    }
}

impl FromKeys for Review {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            by: SecondAgent::from_keys(keys)?,
            cap: keys.leaf("cap", POSITIVE).unwrap_or(default.cap),
            at_cap: keys.leaf("atCap", AtReviewCap::LEAF).unwrap_or(default.at_cap),
            skip: keys.leaf("skip", BOOL).unwrap_or(default.skip),
        })
    }
}
