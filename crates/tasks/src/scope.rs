//! The stories that a run works on: all of them, or one and those it was split into.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::StoryId;
use crate::list::TaskList;

/// The default is every story.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Empty means every story.
    only: BTreeSet<StoryId>,
}

impl Scope {
    pub fn of(story: StoryId) -> Self {
        Self { only: [story].into() }
    }

    pub fn contains(&self, story: &StoryId) -> bool {
        self.only.is_empty() || self.only.contains(story)
    }

    /// Adds the stories that stories in scope were split into.
    pub fn follow_splits(&mut self, list: &TaskList) {
        // Each pass follows one level of splits.
        for _ in &list.stories {
            let parts = list.stories.iter().filter(|story| {
                story.split_from.as_ref().is_some_and(|from| self.only.contains(from))
            });
            let parts: Vec<StoryId> = parts.map(|story| story.id.clone()).collect();
            self.only.extend(parts);
        }
    }
}
