//! Which story a point is for. Pure, except for what it asks of the history.

use forge::{Comment, Repository};
use tasks::{ReviewStatus, Story, StoryId, TaskList};

use super::points::Point;

/// What the commits and runs of the branch say.
pub(super) trait WorkHistory {
    /// The stories whose commits changed the file, latest first. The path is relative to the root of the repository.
    fn stories_of(&self, path: &str) -> anyhow::Result<Vec<StoryId>>;

    /// Latest first.
    fn approved(&self) -> &[StoryId];
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Attribution<'a> {
    pub(super) list: &'a TaskList,
    pub(super) repository: &'a Repository,
}

impl Attribution<'_> {
    /// A story that the comment names, else the last one that changed the file, else the one approved last. `None` if no
    /// story is accepted.
    pub(super) fn story_for(
        &self,
        point: &Point,
        history: &impl WorkHistory,
    ) -> anyhow::Result<Option<StoryId>> {
        if let Some(named) = self.named_by(point) {
            return Ok(Some(named));
        }
        if let Point::Thread { at, .. } = point
            && let Some(path) = &at.path
        {
            let of_file = history.stories_of(path)?.into_iter().find(|story| self.takes(story));
            if of_file.is_some() {
                return Ok(of_file);
            }
        }
        let approved = history.approved().iter().find(|story| self.takes(story));
        let last_of_list = || self.list.stories.iter().rfind(|story| takes_feedback(story));
        Ok(approved.cloned().or_else(|| last_of_list().map(|story| story.id.clone())))
    }

    fn takes(&self, story: &StoryId) -> bool {
        self.list.story(story).is_some_and(takes_feedback)
    }

    /// The latest comment decides.
    fn named_by(&self, point: &Point) -> Option<StoryId> {
        match point {
            Point::Thread { comments, .. } => {
                comments.iter().rev().find_map(|Comment { body, .. }| self.named_in(body))
            }
            Point::Check { check, .. } => {
                self.named_in(&check.name).or_else(|| self.named_in(&check.description))
            }
        }
    }

    fn named_in(&self, text: &str) -> Option<StoryId> {
        let stories = || self.list.stories.iter().filter(|story| takes_feedback(story));
        let named = stories().filter(|story| names(text, story.id.as_str()));
        // `US-1.2` is not about `US-1`.
        let longest = named.max_by_key(|story| story.id.as_str().len());
        let of_issue =
            || stories().find(|story| self.issue(story).is_some_and(|it| names(text, &it)));
        longest.or_else(of_issue).map(|story| story.id.clone())
    }

    /// `#12`, if the story was imported from that issue of this repository.
    fn issue(&self, story: &Story) -> Option<String> {
        let (page, number) = story.source.as_deref()?.rsplit_once('/')?;
        let page = page.strip_suffix("/issues")?.trim_end_matches("/-").to_lowercase();
        let is_here = page.ends_with(&format!("/{}", self.repository.path().to_lowercase()));
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_here && is_number).then(|| format!("#{number}"))
    }
}

/// Accepted, or open again because of earlier feedback from a pull request.
pub(super) fn takes_feedback(story: &Story) -> bool {
    let is_reopened = story.review_status == ReviewStatus::ChangesRequested;
    story.passes || (is_reopened && story.has_pull_request_feedback())
}

/// Whether `text` has `id` as a word. Ids without a digit are ordinary words.
pub(super) fn names(text: &str, id: &str) -> bool {
    let (text, id) = (text.to_ascii_lowercase(), id.to_ascii_lowercase());
    let continues = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let is_word = |at: usize| {
        let (before, after) = (&text[..at], &text[at + id.len()..]);
        !before.ends_with(continues) && !after.starts_with(continues)
    };
    let is_telling = id.len() > 1 && id.bytes().any(|byte| byte.is_ascii_digit());
    is_telling
        && id.bytes().any(|byte| !byte.is_ascii_digit())
        && text.match_indices(&id).any(|(at, _)| is_word(at))
}

#[cfg(test)]
mod tests;
