//! What the run knows about a story, as far as an iteration on it needs that.

use std::collections::BTreeSet;

use tasks::{Scope, Story, StoryId, TaskList};
use vcs::CommitId;

use crate::checks::KnownFailures;
use crate::control::UserInstructions;
use crate::lane::prompt::Escalation;
use crate::lane::story_record::{IterationFailure, StoryRecord};
use crate::memory::MemoryState;

#[derive(Debug, Default)]
pub(crate) struct StoryContext {
    pub(crate) record: StoryRecord,
    /// Why the run's last iteration failed, on this story or another one.
    pub(crate) last_failure: Option<IterationFailure>,
    /// Extra help, because earlier attempts failed with the same error.
    pub(crate) escalation: Escalation,
    pub(crate) user_instructions: UserInstructions,
    pub(crate) memory: MemoryState,
    /// Size in tokens, from the agent's last result.
    pub(crate) context_window: Option<u64>,
    /// Spent by the run so far.
    pub(crate) unavailable_usd: f64,
    /// Reviews in a row that gave no verdict.
    pub(crate) void_reviews: u64,
    /// The user skips the story.
    pub(crate) is_skipped: bool,
    /// The stories that the run works on.
    pub(crate) scope: Scope,
    pub(crate) given_up: BTreeSet<StoryId>,
    pub(crate) known_failures: KnownFailures,
}

impl StoryContext {
    /// The commit from which the story's first iteration started.
    pub(crate) fn began(&self) -> Option<CommitId> {
        self.record.began_at.as_deref().and_then(|began| CommitId::new(began).ok())
    }

    /// Those that are not held against the story.
    pub(crate) fn known_failures(&self, story: Option<&Story>) -> KnownFailures {
        let criteria = story.map_or(&[][..], |story| &story.acceptance_criteria);
        self.known_failures.not_named_in(criteria)
    }

    pub(crate) fn is_last_open(&self, story: &StoryId, list: &TaskList) -> bool {
        is_last_open(story, list, &self.scope, &self.given_up)
    }
}

/// Whether the run has no other story to work on.
pub(crate) fn is_last_open(
    story: &StoryId,
    list: &TaskList,
    scope: &Scope,
    given_up: &BTreeSet<StoryId>,
) -> bool {
    let is_over =
        |other: &Story| other.passes || !scope.contains(&other.id) || given_up.contains(&other.id);
    list.stories.iter().all(|other| other.id == *story || is_over(other))
}
