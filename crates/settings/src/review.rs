//! The reviewer and the number of reviews.

use json_reader::{BOOL, Leaf};
use run_options::AtReviewCap;
use serde::Serialize;

use crate::leaf::POSITIVE;
use crate::second_agent::SecondAgent;
use crate::section::{Keys, Section};

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

impl Section for Review {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        self.by.read(keys);
        keys.set("cap", &mut self.cap, POSITIVE);
        keys.set("atCap", &mut self.at_cap, Leaf::<AtReviewCap>::word());
        keys.set("skip", &mut self.skip, BOOL);
    }
}
