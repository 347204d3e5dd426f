//! What to do next: the mode and the story, decided from the list alone.

use std::collections::BTreeSet;
use std::fmt;

use crate::list::{Story, TaskList};
use crate::{Mode, ReviewPolicy, ReviewStatus, StoryId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    Work {
        mode: Mode,
        story: StoryId,
    },
    Complete,
    /// Nothing can be worked on, and why; no stories at all if the list is empty.
    Blocked(Vec<BlockedStory>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedStory {
    pub story: StoryId,
    pub waiting: Waiting,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// Set aside as failed.
    GivenUp,
    /// Stories that do not pass yet.
    For(Vec<StoryId>),
    /// `approved` and `passes` contradict each other.
    OutOfSync,
}

impl BlockedStory {
    pub fn is_given_up(&self) -> bool {
        self.waiting == Waiting::GivenUp
    }
}

/// Picks by mode first (review-fix, review, implement), then by priority, then by file order.
pub fn select(list: &TaskList, policy: ReviewPolicy, given_up: &BTreeSet<StoryId>) -> Selection {
    if !list.stories.is_empty() && list.stories.iter().all(|story| is_done(story, policy)) {
        return Selection::Complete;
    }
    let open = || list.stories.iter().filter(|story| !given_up.contains(&story.id));
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
    Selection::Blocked(reasons(list, policy, given_up))
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
