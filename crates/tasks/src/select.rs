//! Selects the mode and the story of the next iteration from the list.

use std::collections::BTreeSet;

use itertools::Itertools;

use crate::list::{Story, TaskList};
use crate::{Mode, ReviewPolicy, ReviewStatus, Scope, StoryId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The next iteration.
    Work { mode: Mode, story: StoryId },
    /// All stories are done.
    Complete,
    /// No story can be worked on, with the reasons. Empty if the list is empty.
    Blocked(Vec<BlockedStory>),
}

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("story {story} {waiting}")]
pub struct BlockedStory {
    pub story: StoryId,
    pub waiting: BlockedReason,
}

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum BlockedReason {
    /// Given up after failed attempts.
    #[display("was given up")]
    GivenUp,
    /// Its session asked the user a question.
    #[display("waits for an answer")]
    Answer,
    /// Depends on stories that do not pass yet.
    #[display("waits for {}", _0.iter().format(", "))]
    For(Vec<StoryId>),
    /// `approved` and `passes` contradict each other.
    #[display("has passes and reviewStatus out of sync")]
    OutOfSync,
}

impl BlockedStory {
    pub fn is_given_up(&self) -> bool {
        self.waiting == BlockedReason::GivenUp
    }

    pub fn is_asking(&self) -> bool {
        self.waiting == BlockedReason::Answer
    }
}

/// Selects by mode (review-fix, review, implement), then priority, then file order, among the
/// stories of `scope`. Complete when all of them are done. Stories in `asking` wait for an answer of the user.
pub fn select(
    list: &TaskList,
    policy: ReviewPolicy,
    given_up: &BTreeSet<StoryId>,
    asking: &BTreeSet<StoryId>,
    scope: &Scope,
) -> Selection {
    let stories = || list.stories.iter().filter(|story| scope.contains(&story.id));
    if stories().next().is_some() && stories().all(|story| is_done(story, policy)) {
        return Selection::Complete;
    }
    let open =
        || stories().filter(|story| !given_up.contains(&story.id) && !asking.contains(&story.id));
    let modes: &[Mode] = match policy {
        ReviewPolicy::Required { .. } => &[Mode::ReviewFix, Mode::Review, Mode::Implement],
        ReviewPolicy::Skipped => &[Mode::Implement],
    };
    for &mode in modes {
        let mut candidates: Vec<&Story> = open()
            .filter(|story| is_candidate(story, mode, policy))
            .filter(|story| mode != Mode::Implement || missing(story, list).is_empty())
            .collect();
        // A stable sort keeps file order within a priority.
        candidates.sort_by(|a, b| a.priority.total_cmp(&b.priority));
        if let Some(story) = candidates.first() {
            return Selection::Work { mode, story: story.id.clone() };
        }
    }
    let undone = stories().filter(|story| !is_done(story, policy));
    Selection::Blocked(undone.map(|story| reason(story, list, given_up, asking)).collect())
}

fn is_done(story: &Story, policy: ReviewPolicy) -> bool {
    match policy {
        ReviewPolicy::Skipped => story.passes,
        ReviewPolicy::Required { .. } => {
            story.passes && story.review_status == ReviewStatus::Approved
        }
    }
}

fn is_candidate(story: &Story, mode: Mode, policy: ReviewPolicy) -> bool {
    match policy {
        ReviewPolicy::Skipped => !story.passes,
        ReviewPolicy::Required { .. } => !story.passes && story.next_mode() == Some(mode),
    }
}

fn missing(story: &Story, list: &TaskList) -> Vec<StoryId> {
    let passes = |id: &StoryId| list.story(id).is_some_and(|dependency| dependency.passes);
    story.depends_on.iter().filter(|id| !passes(id)).cloned().collect()
}

fn reason(
    story: &Story,
    list: &TaskList,
    given_up: &BTreeSet<StoryId>,
    asking: &BTreeSet<StoryId>,
) -> BlockedStory {
    let missing = missing(story, list);
    let waiting = if given_up.contains(&story.id) {
        BlockedReason::GivenUp
    } else if asking.contains(&story.id) {
        BlockedReason::Answer
    } else if missing.is_empty() {
        BlockedReason::OutOfSync
    } else {
        BlockedReason::For(missing)
    };
    BlockedStory { story: story.id.clone(), waiting }
}
