//! The reviewer and the number of reviews, and quality reviews, whose warnings block nothing.

use json_reader::{BOOL, Leaf};
use run_options::{AtReviewCap, FinalReviewUse};

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::second_agent::SecondAgent;
use crate::section::{Keys, settings, whole_section};

settings! {
    /// How finished stories are reviewed.
    pub struct Review from keys {
        #[serde(flatten)]
        pub by: SecondAgent = SecondAgent::read(keys),
        /// The most reviews of a story.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub cap: u64 = keys.or("cap", POSITIVE, 5),
        /// What happens at the last review: it must approve the story, with its concerns on record (`approve`), or the
        /// story fails unless it is approved (`fail`).
        pub at_cap: AtReviewCap = keys.optional("atCap", Leaf::word()).unwrap_or_default(),
        /// Review all work of the run once every story is done: each finding becomes a story, at most two times, and
        /// what a last review still finds is reported (`on`); or the findings are only reported (`report`).
        #[serde(rename = "final")]
        pub at_end: FinalReviewUse = keys.optional("final", Leaf::word()).unwrap_or_default(),
        /// Reviewers that must approve a story: the first ones of `review.agent` and `review.panel`. Default: all.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub reviewers: Option<u64> = keys.optional("reviewers", POSITIVE),
        /// Further reviewers, each with another agent or model. All must approve a story.
        pub panel: Vec<SecondAgent> = read_panel(keys),
        /// Accept implementations without a review. The checks must still pass.
        pub skip: bool = keys.or("skip", BOOL, false),
    }
}

fn read_panel(keys: &mut Keys<'_, '_, '_>) -> Vec<SecondAgent> {
    let reviewers = keys.array("panel").unwrap_or_default();
    keys.objects_of("panel", reviewers, |keys| Some(whole_section(keys)))
}

settings! {
    /// A quality review of each passing story. Its warnings are reported and block nothing.
    pub struct Quality from keys {
        /// Enable quality reviews.
        pub enabled: bool = keys.or("enabled", BOOL, false),
        /// A file with your own prompt for the review, relative to the project.
        pub prompt_file: Option<String> = keys.optional("promptFile", NON_BLANK),
        #[serde(flatten)]
        pub by: SecondAgent = SecondAgent::read(keys),
    }
}
