//! What the run knows about a story, as far as an iteration on it needs that.

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
}
