//! The iterations of a run and their cost.

use super::RunView;
use crate::{IterationEnded, IterationStatus};

impl RunView {
    /// Ended and running iterations.
    pub fn begun_iterations(&self) -> u64 {
        self.iterations + self.running().count() as u64
    }

    /// The cost so far, including running iterations.
    pub fn spent_usd(&self) -> f64 {
        self.cost_usd + self.running().filter_map(|running| running.cost_usd).sum::<f64>()
    }

    /// The same; `None` if no agent of the run reports its cost.
    pub fn cost(&self) -> Option<f64> {
        let spent = self.spent_usd();
        (self.has_cost != Some(false) || spent > 0.0).then_some(spent)
    }

    pub(super) fn session_ended(&mut self, cost_usd: Option<f64>) {
        self.has_cost = Some(cost_usd.is_some() || self.has_cost == Some(true));
    }

    pub(super) fn iteration_ended(&mut self, lane: Option<u64>, ended: &IterationEnded) {
        let IterationEnded { iteration, story, status, cost_usd, .. } = ended;
        let in_vain = self.track_mut(lane).in_vain.take() == Some(*iteration);
        self.session_ended((*cost_usd > 0.0).then_some(*cost_usd));
        let (done, total_cost_usd) = self.totals_after(lane, ended);
        (self.done, self.cost_usd) = (done, total_cost_usd);
        let last = self.last_place_in(lane).and_then(|last| self.records.get_mut(last));
        if let Some(end) = last.and_then(|last| last.end.as_mut()) {
            (end.result.done, end.result.total_cost_usd) = (done, total_cost_usd);
        }
        let attempt_failed = status.is_failed_attempt();
        // A run that limits attempts emits an event for each.
        let tells_attempts = self.start.as_ref().is_some_and(|start| start.max_attempts.is_some());
        self.iterations = self.iterations.saturating_add(status.is_used_up().into());
        let is_accepted = *status == IterationStatus::Accepted;
        self.accepted = self.accepted.saturating_add(is_accepted.into());
        let left_nothing = *status == IterationStatus::NoProgress && in_vain;
        let is_void = *status == IterationStatus::Void;
        let has_failed = attempt_failed || left_nothing || is_void;
        self.failed = self.failed.saturating_add(has_failed.into());
        if let Some(story) = story.as_ref().and_then(|story| self.story_mut(story)) {
            story.cost_usd += cost_usd;
            let counts = attempt_failed && !tells_attempts;
            story.failed_attempts = story.failed_attempts.saturating_add(counts.into());
        }
    }

    /// Done stories and the cost of the run. An iteration of a lane knows only its own.
    pub(crate) fn totals_after(&self, lane: Option<u64>, ended: &IterationEnded) -> (u64, f64) {
        match lane {
            None => (ended.done, ended.total_cost_usd),
            Some(_) => (self.done, self.cost_usd + ended.cost_usd),
        }
    }
}
