//! Invariants of the task list at the end of every iteration.

use crate::list::{Story, TaskList};
use crate::snapshot::Snapshot;
use crate::{ReviewStatus, StoryId};

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("story {story}: {invariant}")]
pub struct BrokenInvariant {
    pub story: StoryId,
    pub invariant: Invariant,
}

/// How it is broken, and the fix.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Invariant {
    #[display(
        "passes is true but reviewStatus is {status}, not approved. Only a review may let a story \
         pass: set passes to false until a review has approved it."
    )]
    PassesUnapproved { status: ReviewStatus },
    #[display(
        "reviewStatus is \"approved\" but passes is false, they are out of sync. A review that \
         approves sets both; if there was none, set reviewStatus back."
    )]
    ApprovedWithoutPasses,
    #[display(
        "reviewStatus is \"changes_requested\" but reviewFeedback is empty. Feedback is required: \
         say what to fix and where."
    )]
    FeedbackMissing,
    #[display(
        "reviewCount is {count}, above the review cap of {cap} plus one. Set it to the real number \
         of reviews."
    )]
    CountAboveCap { count: u64, cap: u64 },
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
    let (status, count) = (story.review_status, story.review_count);
    let approved = status == ReviewStatus::Approved;
    let lacks_feedback =
        status == ReviewStatus::ChangesRequested && story.review_feedback.trim().is_empty();
    let invariants = [
        (story.passes && !approved, Invariant::PassesUnapproved { status }),
        (!story.passes && approved, Invariant::ApprovedWithoutPasses),
        (lacks_feedback, Invariant::FeedbackMissing),
        (count > most_reviews, Invariant::CountAboveCap { count, cap }),
    ];
    let broken = invariants.into_iter().filter(|(is_broken, _)| *is_broken);
    broken.map(|(_, invariant)| BrokenInvariant { story: story.id.clone(), invariant }).collect()
}
