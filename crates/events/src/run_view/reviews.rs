//! The verdicts of reviews: of a story, of each of its reviewers, and of all work.

use std::collections::BTreeMap;

use tasks::StoryId;

use super::{RunView, Verdict};
use crate::{LoopEvent, concerns_at_cap};

impl RunView {
    pub(super) fn apply_to_reviews(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::StoryStatusChanged { story, to, feedback, .. } => {
                let verdict = Verdict::of(*to, feedback);
                set(&mut self.verdicts, story, verdict);
                let at_cap = verdict.filter(|verdict| *verdict == Verdict::ApprovedAtCap);
                let concerns = at_cap.and_then(|_| concerns_at_cap(feedback));
                set(&mut self.concerns, story, concerns.map(str::to_owned));
            }
            LoopEvent::FinalReviewed(review) => self.final_reviews.push(review.clone()),
            LoopEvent::ProofRan(run) => self.proofs.entry(run.story.clone()).or_default().add(run),
            LoopEvent::ReviewerVerdict(verdict) => self.reviewer_verdicts.push(verdict.clone()),
            _ => {}
        }
    }
}

fn set<V>(values: &mut BTreeMap<StoryId, V>, story: &StoryId, value: Option<V>) {
    match value {
        Some(value) => values.insert(story.clone(), value),
        None => values.remove(story),
    };
}
