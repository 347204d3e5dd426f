//! The validated, typed task list. Unknown fields are kept only as digests.
//!
//! Edits go through `editor`, which preserves what this model does not know.

use run_options::ProofUse;

use crate::{FieldDigests, Mode, ReviewStatus, SkillName, StoryId, StoryState, VerifyCommand};

#[derive(Debug, Clone, PartialEq)]
pub struct TaskList {
    pub project: String,
    pub branch_name: String,
    pub description: String,
    pub verify_commands: Vec<VerifyCommand>,
    pub stories: Vec<Story>,
    /// Top-level fields, known or not, except `verifyCommands` and `userStories`.
    pub fields: FieldDigests,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    pub id: StoryId,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    pub priority: f64,
    pub passes: bool,
    pub review_status: ReviewStatus,
    pub review_count: u64,
    pub review_feedback: String,
    pub notes: String,
    pub depends_on: Vec<StoryId>,
    pub split_from: Option<StoryId>,
    pub model: Option<String>,
    pub skills: Vec<SkillName>,
    pub needs_docs: bool,
    pub libraries: Vec<String>,
    /// Files and folders that it will probably change: stories that share some are not worked on at once if others
    /// are ready.
    pub touches: Vec<String>,
    pub max_turns: Option<u64>,
    /// Whether tests must prove it; `None` if the settings decide.
    pub proof: Option<ProofUse>,
    /// The issue or file that it was imported from: other people wrote its text.
    pub source: Option<String>,
    /// All fields, known or not, except id, criteria and review state.
    pub fields: FieldDigests,
}

impl TaskList {
    /// Stories that depend on `id`, directly or transitively, in list order.
    pub fn dependants_of(&self, id: &StoryId) -> Vec<StoryId> {
        let mut found: Vec<&StoryId> = vec![id];
        // Each pass finds the stories one step further away.
        for _ in &self.stories {
            for story in &self.stories {
                let waits = story.depends_on.iter().any(|on| found.contains(&on));
                if waits && !found.contains(&&story.id) {
                    found.push(&story.id);
                }
            }
        }
        let waits = |story: &&Story| story.id != *id && found.contains(&&story.id);
        self.stories.iter().filter(waits).map(|story| story.id.clone()).collect()
    }

    pub fn story(&self, id: &StoryId) -> Option<&Story> {
        self.stories.iter().find(|story| story.id == *id)
    }
}

impl Story {
    /// The fields that only the review cycle may change.
    pub fn state(&self) -> StoryState {
        StoryState {
            passes: self.passes,
            review_status: self.review_status,
            review_count: self.review_count,
        }
    }

    /// The mode of the next iteration on this story; `None` once it is approved. Never specify: the
    /// list does not say whether a story has its tests.
    pub fn next_mode(&self) -> Option<Mode> {
        match self.review_status {
            ReviewStatus::NotSubmitted => Some(Mode::Implement),
            ReviewStatus::NeedsReview => Some(Mode::Review),
            ReviewStatus::ChangesRequested => Some(Mode::ReviewFix),
            ReviewStatus::Approved => None,
        }
    }
}
