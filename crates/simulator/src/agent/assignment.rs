//! The assignment of the session, from the runner's marker.

use project::{Layout, StoredMarker, VerdictIn};
use serde_json::Value;
use tasks::{Mode, ReviewPolicy, StoryId};

use super::task_edit;

/// Empty without a readable marker, and if the marker names another session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) mode: Option<Mode>,
    pub(super) story: Option<StoryId>,
    pub(super) iteration: Option<u64>,
    pub(super) review: ReviewPolicy,
    pub(super) verdict_in: Option<VerdictIn>,
    pub(super) layout: Layout,
}

impl Default for Assignment {
    fn default() -> Self {
        let review = ReviewPolicy::Required { cap: tasks::DEFAULT_REVIEW_CAP };
        let layout = Layout::new(".");
        Self { mode: None, story: None, iteration: None, review, verdict_in: None, layout }
    }
}

impl Assignment {
    /// The id of its story; empty without one.
    pub(super) fn story_id(&self) -> &str {
        self.story.as_ref().map_or("", |id| id.as_str())
    }

    /// Its story in the task list; null if there is none.
    pub(super) fn stored_story(&self) -> Value {
        let list = task_edit::read(&self.layout.tasks()).unwrap_or_default();
        let mut stories = list["userStories"].as_array().into_iter().flatten();
        stories.find(|story| story["id"] == self.story_id()).cloned().unwrap_or_default()
    }

    /// The assignment of the project at `layout` for the session with this id.
    pub(super) fn read(layout: Layout, session: Option<&str>) -> Self {
        let stored = StoredMarker::load(&layout).ok().flatten();
        let marker = stored.and_then(|stored| stored.parse().ok()).filter(|marker| {
            !matches!((session, &marker.session_id), (Some(own), Some(other)) if own != other)
        });
        let Some(marker) = marker else { return Self { layout, ..Self::default() } };
        Self {
            mode: marker.iteration_mode,
            story: marker.story_id,
            iteration: marker.iteration,
            review: marker.review,
            verdict_in: marker.verdict_in,
            layout: match &marker.ralph_dir {
                Some(dir) => layout.with_ralph_dir(dir),
                None => layout,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_defines_the_assignment() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(Assignment::read(layout.clone(), None).mode, None);
        let marker = r#"{"iterationMode":"review-fix","storyId":"US-7","iteration":4,
            "skipReview":true,"ralphDir":"plan"}"#;
        std::fs::write(layout.marker(), marker).unwrap();
        let assignment = Assignment::read(layout.clone(), Some("any"));
        assert_eq!(assignment.mode, Some(Mode::ReviewFix));
        assert_eq!(assignment.story, StoryId::new("US-7").ok());
        assert_eq!((assignment.iteration, assignment.review), (Some(4), ReviewPolicy::Skipped));
        assert_eq!(assignment.layout.tasks(), dir.path().join("plan/tasks.json"));
    }

    #[test]
    fn a_marker_of_another_session_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        let marker = r#"{"iterationMode":"review","storyId":"US-7","sessionId":"s-1"}"#;
        std::fs::write(layout.marker(), marker).unwrap();
        let mode = |session| Assignment::read(layout.clone(), session).mode;
        assert_eq!(mode(Some("s-1")), Some(Mode::Review));
        assert_eq!(mode(None), Some(Mode::Review), "without a session id");
        assert_eq!(mode(Some("s-2")), None);
    }
}
