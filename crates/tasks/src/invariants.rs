//! Invariants of the task list at the end of every iteration.

use std::fmt;

use crate::list::{Story, TaskList};
use crate::snapshot::Snapshot;
use crate::{ReviewStatus, StoryId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokenInvariant {
    PassesUnapproved { story: StoryId, status: ReviewStatus },
    ApprovedWithoutPasses { story: StoryId },
    FeedbackMissing { story: StoryId },
    CountAboveCap { story: StoryId, count: u64, cap: u64 },
}

impl BrokenInvariant {
    pub fn story(&self) -> &StoryId {
        match self {
            Self::PassesUnapproved { story, .. }
            | Self::ApprovedWithoutPasses { story }
            | Self::FeedbackMissing { story }
            | Self::CountAboveCap { story, .. } => story,
        }
    }
}

/// `passes` ⇔ `approved`; requested changes have feedback; `reviewCount` is at most the cap plus one.
///
/// A story that had more reviews than the cap before the iteration began (the user lowered it) may
/// keep them, and have the one that ends its cycle.
pub fn check_invariants(
    list: &TaskList,
    review_cap: u64,
    before: Option<&Snapshot>,
) -> Vec<BrokenInvariant> {
    let broken = list.stories.iter().flat_map(|story| {
        let had = before.and_then(|snapshot| snapshot.stories.get(&story.id));
        let most = had.map_or(review_cap, |had| had.review_count.max(review_cap));
        broken(story, review_cap, most.saturating_add(1))
    });
    broken.collect()
}

fn broken(story: &Story, cap: u64, most_reviews: u64) -> Vec<BrokenInvariant> {
    let mut broken = Vec::new();
    let id = || story.id.clone();
    let status = story.review_status;
    if story.passes && status != ReviewStatus::Approved {
        broken.push(BrokenInvariant::PassesUnapproved { story: id(), status });
    }
    if !story.passes && status == ReviewStatus::Approved {
        broken.push(BrokenInvariant::ApprovedWithoutPasses { story: id() });
    }
    if status == ReviewStatus::ChangesRequested && story.review_feedback.trim().is_empty() {
        broken.push(BrokenInvariant::FeedbackMissing { story: id() });
    }
    if story.review_count > most_reviews {
        broken.push(BrokenInvariant::CountAboveCap { story: id(), count: story.review_count, cap });
    }
    broken
}

impl fmt::Display for BrokenInvariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PassesUnapproved { story, status } => write!(
                f,
                "story {story}: passes is true but reviewStatus is {status}, not approved. Only a \
                 review may let a story pass: set passes to false until a review has approved it."
            ),
            Self::ApprovedWithoutPasses { story } => write!(
                f,
                "story {story}: reviewStatus is \"approved\" but passes is false, they are out of \
                 sync. A review that approves sets both; if there was none, set reviewStatus back."
            ),
            Self::FeedbackMissing { story } => write!(
                f,
                "story {story}: reviewStatus is \"changes_requested\" but reviewFeedback is empty. \
                 Feedback is required: say what to fix and where."
            ),
            Self::CountAboveCap { story, count, cap } => write!(
                f,
                "story {story}: reviewCount is {count}, above the review cap of {cap} plus one. \
                 Set it to the real number of reviews."
            ),
        }
    }
}
