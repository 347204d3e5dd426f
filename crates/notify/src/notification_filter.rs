//! From events to notices: which are worth one, for whom, and how often. Pure: the time is that of the
//! events.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use engine::{GiveUpReason, GivenUp, LoopEvent, LoopKind, Stamped};
use events::{RunView, words};
use tasks::StoryId;

use crate::pace::Pace;
use crate::words::{Occasion, occasion};
use crate::{Class, Kind, NEXT, Notice, RunState, Scrubber};

/// In characters; the rest of a longer name is left out.
const LONGEST_TITLE: usize = 120;
const LONGEST_NAME: usize = 80;

/// Failed stories that the last notice names.
const MOST_NAMED: usize = 5;

/// Hears all events of a run.
#[derive(Debug)]
pub struct NotificationFilter {
    classes: Vec<Class>,
    scrubber: Scrubber,
    view: RunView,
    pace: Pace,
    /// What was held back last of each kind that is still news later.
    held: BTreeMap<Kind, LoopEvent>,
}

impl NotificationFilter {
    pub fn new(classes: Vec<Class>, scrubber: Scrubber) -> Self {
        Self {
            classes,
            scrubber,
            view: RunView::default(),
            pace: Pace::default(),
            held: BTreeMap::new(),
        }
    }

    pub fn hear(&mut self, stamped: &Stamped) -> Option<Notice> {
        if matches!(stamped.event, LoopEvent::RunStarted { .. }) {
            (self.pace, self.held) = (Pace::default(), BTreeMap::new());
        }
        self.view.apply(stamped);
        let Some(occasion) = occasion(&stamped.event, stamped.at) else {
            return self.say_what_was_held(stamped.at);
        };
        if !self.is_asked_for(&occasion) {
            return None;
        }
        match self.pace.admit(occasion.kind, occasion.state, stamped.at) {
            Some(more) => {
                self.held.remove(&occasion.kind);
                Some(self.notice(&occasion, more, stamped.at))
            }
            None => {
                // A rest is over by then.
                if occasion.kind != Kind::LimitReached {
                    self.held.insert(occasion.kind, stamped.event.clone());
                }
                None
            }
        }
    }

    /// The minute is over, and nothing else of the kind came.
    fn say_what_was_held(&mut self, at: DateTime<Utc>) -> Option<Notice> {
        let kind = self.held.keys().copied().find(|kind| self.pace.is_due(*kind, at))?;
        let event = self.held.remove(&kind)?;
        let occasion = occasion(&event, at)?;
        let held_back = self.pace.admit(kind, occasion.state, at)?;
        Some(self.notice(&occasion, held_back.saturating_sub(1), at))
    }

    /// A run that ends at a limit has failed as well, for those who want to hear of that alone.
    fn is_asked_for(&self, occasion: &Occasion<'_>) -> bool {
        let over = occasion.state == RunState::Over && occasion.kind != Kind::Finished;
        self.classes.contains(&occasion.kind.class())
            || (over && self.classes.contains(&Class::Failed))
    }

    fn notice(&self, occasion: &Occasion<'_>, more: u64, at: DateTime<Utc>) -> Notice {
        let project = self.project();
        let story = occasion.story.map(|id| self.clean(id.as_str(), LONGEST_NAME));
        let title = occasion.story.and_then(|id| self.title(id));
        let has_stories = !self.view.stories.is_empty();
        let mut notice = Notice {
            text: String::new(),
            kind: occasion.kind,
            class: occasion.kind.class(),
            state: occasion.state,
            run: self.clean(&self.view.id, LONGEST_NAME),
            project,
            story,
            title,
            done: has_stories.then_some(self.view.done),
            stories: has_stories.then_some(self.view.stories.len() as u64),
            iterations: self.view.iterations,
            cost_usd: self.view.cost(),
            seconds: self.view.worked.seconds_at(at),
            more,
            next: NEXT,
        };
        notice.text = text(&notice, occasion, &self.failed());
        notice
    }

    /// `2 failed (US-003, US-005), ` of a run that is over.
    fn failed(&self) -> String {
        let was_skipped = |given_up: &GivenUp| given_up.reason == GiveUpReason::Skipped;
        let failed =
            self.view.stories.iter().filter(|story| {
                story.given_up.as_ref().is_some_and(|given_up| !was_skipped(given_up))
            });
        let ids: Vec<String> =
            failed.map(|story| self.clean(story.id.as_str(), LONGEST_NAME)).collect();
        if ids.is_empty() || self.view.end.is_none() {
            return String::new();
        }
        let more = if ids.len() > MOST_NAMED { ", ..." } else { "" };
        let named = ids[..ids.len().min(MOST_NAMED)].join(", ");
        format!("{} failed ({named}{more}), ", ids.len())
    }

    /// What the task list calls it. A prompt loop is called after its prompt, which is nobody's name.
    fn project(&self) -> String {
        let Some(start) = &self.view.start else { return "the project".into() };
        let folder = || Path::new(&start.project).file_name().map(|name| name.to_string_lossy());
        let name = match start.kind {
            LoopKind::Stories if !start.name.trim().is_empty() => Some(start.name.as_str().into()),
            _ => folder(),
        };
        self.clean(name.as_deref().unwrap_or("the project"), LONGEST_NAME)
    }

    fn title(&self, id: &StoryId) -> Option<String> {
        self.view.story(id).map(|story| self.clean(&story.title, LONGEST_TITLE))
    }

    /// Somebody else's text. Scrubbed before it is cut, because half a secret looks like none, and after
    /// it was made plain, because a secret may be hidden between control characters.
    fn clean(&self, text: &str, longest: usize) -> String {
        let plain = sanitize::line(&self.scrubber.scrub(text));
        let scrubbed = self.scrubber.scrub(&plain);
        match scrubbed.char_indices().nth(longest) {
            Some((cut, _)) => format!("{}...", &scrubbed[..cut]),
            None => scrubbed,
        }
    }
}

/// One line, whole sentences.
fn text(notice: &Notice, occasion: &Occasion<'_>, failed: &str) -> String {
    let about = match (&notice.story, &notice.title) {
        (Some(story), Some(title)) => format!("{story} \"{title}\" "),
        (Some(story), None) => format!("{story} "),
        (None, _) => String::new(),
    };
    let stories = match (notice.done, notice.stories) {
        (Some(done), Some(stories)) => format!("{done} of {stories} stories done, "),
        _ => String::new(),
    };
    let more = match notice.more {
        0 => String::new(),
        more => format!(" And {more} more since the last such notice."),
    };
    format!(
        "{} {}: {about}{}. {stories}{failed}{}, {}, {}.{more} Next: {}",
        occasion.beginning,
        notice.project,
        occasion.what,
        words::count(notice.iterations, "iteration", "iterations"),
        words::duration(notice.seconds),
        words::cost(notice.cost_usd),
        notice.next,
    )
}

#[cfg(test)]
mod tests;
