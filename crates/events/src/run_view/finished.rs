//! When the run finished each story.

use chrono::{DateTime, Utc};
use tasks::StoryId;

use super::RunView;
use crate::LoopEvent;

impl RunView {
    /// The stories that the run finished, and when.
    pub fn finished(&self) -> impl Iterator<Item = (&StoryId, DateTime<Utc>)> {
        self.done_since.iter().filter_map(|(story, at)| Some((story, (*at)?)))
    }

    /// After the event changed the stories.
    pub(super) fn apply_to_finished(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { .. } if self.starts == 1 => self.note_done(None),
            // A runner that was killed may have finished a story without an event.
            LoopEvent::RunStarted { .. } | LoopEvent::RunEnded(_) => self.note_done(Some(at)),
            LoopEvent::StoryStatusChanged { story, .. } | LoopEvent::StoryMerged { story, .. } => {
                if self.story(story).is_some_and(|story| self.is_done(story)) {
                    self.done_since.entry(story.clone()).or_insert(Some(at));
                } else {
                    self.done_since.remove(story);
                }
            }
            _ => {}
        }
    }

    fn note_done(&mut self, at: Option<DateTime<Utc>>) {
        let done = self.stories.iter().filter(|story| self.is_done(story));
        let done: Vec<StoryId> = done.map(|story| story.id.clone()).collect();
        done.into_iter().for_each(|story| {
            self.done_since.entry(story).or_insert(at);
        });
    }
}
