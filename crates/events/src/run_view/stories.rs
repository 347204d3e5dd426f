//! The stories of a run, with their state.

use chrono::{DateTime, Utc};
use tasks::{ReviewStatus, StoryId};

use super::RunView;
use crate::{LoopEvent, OpenQuestion, QuestionEffect, Role, StoryBrief};

impl RunView {
    pub fn story(&self, id: &StoryId) -> Option<&StoryBrief> {
        self.stories.get(*self.places.get(id)?)
    }

    pub fn is_done(&self, story: &StoryBrief) -> bool {
        let is_reviewed = self.start.as_ref().is_none_or(|start| start.review_cap.is_some());
        // A story that passes and was never submitted is from a run without reviews.
        let has_review =
            matches!(story.review_status, ReviewStatus::Approved | ReviewStatus::NotSubmitted);
        story.passes && (!is_reviewed || has_review)
    }

    /// `attempt 3/5`, for a story that failed before.
    pub fn attempt_at(&self, story: &StoryId) -> Option<(Role, String)> {
        let of = self.start.as_ref()?.max_attempts?;
        let failed = self.story(story)?.failed_attempts;
        (failed > 0).then(|| (Role::Warn, format!("attempt {}/{of}", failed.saturating_add(1))))
    }

    pub(super) fn apply_to_stories(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        event: &LoopEvent,
    ) {
        match event {
            LoopEvent::RunStarted { stories, .. } => self.set_stories(stories),
            LoopEvent::RunEnded(ended) => self.set_stories(&ended.stories),
            LoopEvent::StoryAdded { story } => self.add_story(story),
            LoopEvent::StoryStatusChanged { story, to, reviews, passes, .. } => {
                if let Some(story) = self.story_mut(story) {
                    story.review_status = *to;
                    story.review_count = *reviews;
                    // A story of a lane passes when it is merged.
                    let is_approved = *passes || *to == ReviewStatus::Approved;
                    story.passes = is_approved && lane.is_none();
                }
            }
            LoopEvent::AttemptFailed(failed) => {
                self.track_mut(lane).in_vain = Some(failed.iteration);
                if let Some(story) = self.story_mut(&failed.story) {
                    story.failed_attempts = failed.attempt;
                }
            }
            LoopEvent::StoryMerged { story, .. } => {
                if let Some(story) = self.story_mut(story) {
                    story.passes = true;
                }
                self.done = self.stories.iter().filter(|story| story.passes).count() as u64;
            }
            LoopEvent::QuestionAsked { story, number, text, effect, .. } => {
                if let (Some(story), QuestionEffect::Waits) = (self.story_mut(story), effect) {
                    let (number, text) = (*number, text.clone());
                    story.question = Some(OpenQuestion { number, asked_at: at, text });
                }
            }
            LoopEvent::QuestionAnswered { story, .. } => {
                if let Some(story) = self.story_mut(story) {
                    story.question = None;
                }
            }
            LoopEvent::StoryGivenUp { story, given_up } => {
                if let Some(story) = self.story_mut(story) {
                    story.question = None;
                    story.failed_attempts = given_up.attempts;
                    story.given_up = Some(given_up.clone());
                }
            }
            _ => {}
        }
    }

    fn set_stories(&mut self, stories: &[StoryBrief]) {
        self.stories.clear();
        self.places.clear();
        stories.iter().for_each(|story| self.add_story(story));
        self.done = stories.iter().filter(|story| story.passes).count() as u64;
    }

    /// For duplicate ids, the first counts.
    fn add_story(&mut self, story: &StoryBrief) {
        self.places.entry(story.id.clone()).or_insert(self.stories.len());
        self.stories.push(story.clone());
    }

    pub(super) fn story_mut(&mut self, id: &StoryId) -> Option<&mut StoryBrief> {
        self.stories.get_mut(*self.places.get(id)?)
    }
}
