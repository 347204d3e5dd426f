//! Collects the points of each story, and opens the stories again in the text of the list.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use tasks::{ReviewFields, ReviewStatus, StoryId, StoryState, TaskList};

use super::attribution::{Attribution, WorkHistory};
use super::feedback::Feedback;
use super::points::{Ignored, Point};
use super::report::{PointBrief, StoryFeedback};
use super::state::PullState;

/// The points that stories get.
#[derive(Debug)]
pub(super) struct HandOver<'p> {
    pub(super) stories: BTreeMap<StoryId, (Vec<&'p Point>, Feedback)>,
    pub(super) ignored: Vec<Ignored>,
}

impl<'p> HandOver<'p> {
    pub(super) fn plan(
        points: &'p [Point],
        pull: u64,
        known: &PullState,
        attribution: Attribution<'_>,
        history: &impl WorkHistory,
    ) -> Result<Self> {
        let mut plan = Self { stories: BTreeMap::new(), ignored: Vec::new() };
        for point in points {
            let before = known.handed_over.get(&point.key());
            if let Some(before) = before.filter(|before| before.digest == point.digest()) {
                let why = if before.is_answered { "answered" } else { "handed over" };
                plan.ignored.push(point.ignored(format!("{why} before, story {}", before.story)));
                continue;
            }
            let Some(story) = attribution.story_for(point, history)? else {
                plan.ignored.push(point.ignored("no story is accepted yet"));
                continue;
            };
            let (points, feedback) = plan.stories.entry(story.clone()).or_insert_with(|| {
                (Vec::new(), Feedback::new(pull, earlier_feedback(attribution.list, &story)))
            });
            if feedback.add(point) {
                points.push(point);
            } else {
                let why = format!("the feedback of {story} is full; sync again after the next run");
                plan.ignored.push(point.ignored(why));
            }
        }
        plan.stories.retain(|_, (points, _)| !points.is_empty());
        Ok(plan)
    }

    /// The list with the stories open again, otherwise unchanged byte for byte.
    pub(super) fn apply(&self, text: &str) -> Result<String> {
        // The people on the forge may want as many rounds as the reviewer had.
        let review_status = ReviewStatus::ChangesRequested;
        let state = StoryState { passes: false, review_status, review_count: 0 };
        let mut text = text.to_owned();
        for (story, (_, feedback)) in &self.stories {
            let fields = ReviewFields { state, feedback: feedback.text() };
            text = tasks::with_review_fields(&text, story, &fields)
                .map_err(|error| anyhow!("cannot change story {story}: {error}"))?;
        }
        Ok(text)
    }

    pub(super) fn report(&self) -> Vec<StoryFeedback> {
        let report = |(story, (points, feedback)): (&StoryId, &(Vec<&Point>, Feedback))| {
            let points = points.iter().map(|point| PointBrief::from(*point)).collect();
            StoryFeedback { story: story.clone(), points, feedback: feedback.text() }
        };
        self.stories.iter().map(report).collect()
    }
}

/// Of a story that is open because of a pull request; an accepted one keeps none.
fn earlier_feedback<'l>(list: &'l TaskList, story: &StoryId) -> &'l str {
    let reopened = list.story(story).filter(|story| !story.passes);
    reopened.map_or("", |story| &story.review_feedback)
}

#[cfg(test)]
mod tests;
