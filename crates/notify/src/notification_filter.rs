//! Selects the events that cause a notice, by class and rate limit. Does no I/O: the time is that of
//! the events.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use events::{GiveUpReason, LoopEvent, LoopKind, RunView, Stamped, format};
use tasks::StoryId;

use crate::notice_draft::{NoticeDraft, draft};
use crate::rate_limit::RateLimit;
use crate::{NEXT, Notice, NoticeClass, NoticeKind, Scrubber};

/// In characters; a longer name is cut.
const LONGEST_TITLE: usize = 120;
const LONGEST_NAME: usize = 80;

/// The number of failed stories that the last notice names.
const MOST_NAMED: usize = 5;

/// Receives all events of a run.
#[derive(Debug)]
pub struct NotificationFilter {
    classes: Vec<NoticeClass>,
    scrubber: Scrubber,
    view: RunView,
    rate_limit: RateLimit,
    /// The last event of each kind that the rate limit delayed.
    held: BTreeMap<NoticeKind, LoopEvent>,
}

impl NotificationFilter {
    pub fn new(classes: Vec<NoticeClass>, scrubber: Scrubber) -> Self {
        Self {
            classes,
            scrubber,
            view: RunView::default(),
            rate_limit: RateLimit::default(),
            held: BTreeMap::new(),
        }
    }

    pub fn apply(&mut self, stamped: &Stamped) -> Option<Notice> {
        if matches!(stamped.event, LoopEvent::RunStarted { .. }) {
            (self.rate_limit, self.held) = (RateLimit::default(), BTreeMap::new());
        }
        self.view.apply(stamped);
        let Some(draft) = draft(&stamped.event, stamped.at) else {
            return self.delayed_notice(stamped.at);
        };
        if !self.is_wanted(&draft) {
            return None;
        }
        match self.rate_limit.admit(draft.kind, draft.run_ended, stamped.at) {
            Some(more) => {
                self.held.remove(&draft.kind);
                Some(self.notice(&draft, more, stamped.at))
            }
            None => {
                // The wait is over by then.
                if draft.kind != NoticeKind::LimitReached {
                    self.held.insert(draft.kind, stamped.event.clone());
                }
                None
            }
        }
    }

    /// Sends a delayed notice after its minute.
    fn delayed_notice(&mut self, at: DateTime<Utc>) -> Option<Notice> {
        let kind = self.held.keys().copied().find(|kind| self.rate_limit.is_due(*kind, at))?;
        let event = self.held.remove(&kind)?;
        let draft = draft(&event, at)?;
        let held_back = self.rate_limit.admit(kind, draft.run_ended, at)?;
        Some(self.notice(&draft, held_back.saturating_sub(1), at))
    }

    /// A run that ends at a limit also belongs to the class `failed`.
    fn is_wanted(&self, draft: &NoticeDraft<'_>) -> bool {
        let ended_with_work_left = draft.run_ended && draft.kind != NoticeKind::Finished;
        self.classes.contains(&draft.kind.class())
            || (ended_with_work_left && self.classes.contains(&NoticeClass::Failed))
    }

    fn notice(&self, draft: &NoticeDraft<'_>, more: u64, at: DateTime<Utc>) -> Notice {
        let project = self.project();
        let story = draft.story.map(|id| self.clean(id.as_str(), LONGEST_NAME));
        let title = draft.story.and_then(|id| self.title(id));
        let has_stories = !self.view.stories.is_empty();
        let mut notice = Notice {
            text: String::new(),
            kind: draft.kind,
            class: draft.kind.class(),
            run_ended: draft.run_ended,
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
        notice.text = text(&notice, draft, &self.failed());
        notice
    }

    /// `2 failed (US-003, US-005), ` for a run that ended.
    fn failed(&self) -> String {
        let failed = self.view.stories.iter().filter(|story| {
            let reason = story.given_up.as_ref().map(|given_up| given_up.reason);
            reason.is_some_and(|reason| reason != GiveUpReason::Skipped)
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

    /// The name in the task list. For a prompt loop the folder's: its own name is its prompt.
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

    /// Sanitizes untrusted text. It is scrubbed before the cut, because half a secret is not recognized,
    /// and again after control characters are removed, because they may split a secret.
    fn clean(&self, text: &str, longest: usize) -> String {
        let plain = sanitize::line(&self.scrubber.scrub(text));
        let scrubbed = self.scrubber.scrub(&plain);
        match scrubbed.char_indices().nth(longest) {
            Some((cut, _)) => format!("{}...", &scrubbed[..cut]),
            None => scrubbed,
        }
    }
}

/// One line of complete sentences.
fn text(notice: &Notice, draft: &NoticeDraft<'_>, failed: &str) -> String {
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
        draft.beginning,
        notice.project,
        draft.what,
        format::count(notice.iterations, "iteration", "iterations"),
        format::duration(notice.seconds),
        format::cost(notice.cost_usd),
        notice.next,
    )
}

#[cfg(test)]
mod tests;
