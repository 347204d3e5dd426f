//! The time limits that a run reached.

use serde::Serialize;
use tasks::StoryId;

use super::RunView;
use crate::{
    AgentOutcome, CheckOutcome, IterationStatus, LoopEvent, QualityOutcome, RunEnd, TimedTask,
};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLimitReached {
    pub what: TimedTask,
    pub limit: TimeLimitKind,
    /// `None` if unknown.
    pub seconds: Option<f64>,
    pub iteration: Option<u64>,
    pub story: Option<StoryId>,
    #[serde(skip)]
    lane: Option<u64>,
    /// The hard limit that a warning at the soft limit announced.
    #[serde(skip)]
    announced: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeLimitKind {
    /// Caused a warning.
    Soft,
    /// Ended the activity.
    Hard,
}

impl RunView {
    /// Before the event changes anything else: it names the iteration and the session that it ends.
    pub(super) fn apply_to_time_limits(&mut self, lane: Option<u64>, event: &LoopEvent) {
        let (what, limit, seconds, announced) = match event {
            LoopEvent::TimeWarning { what, soft_seconds, hard_seconds } => {
                (*what, TimeLimitKind::Soft, Some(*soft_seconds), *hard_seconds)
            }
            _ => match self.hard_limit(event) {
                Some((what, seconds)) => (what, TimeLimitKind::Hard, seconds, None),
                None => return,
            },
        };
        let running = self.iteration_in(lane).filter(|_| what != TimedTask::Run);
        let iteration = running.map(|iteration| iteration.number);
        let story = running.and_then(|iteration| iteration.story.clone());
        let mut reached =
            TimeLimitReached { what, limit, seconds, iteration, story, lane, announced };
        // A hard limit replaces the warning at the soft limit.
        let last = self.time_limits.iter().rposition(|last| last.lane == lane);
        let warning = last.filter(|last| {
            let last = &self.time_limits[*last];
            (limit, last.limit) == (TimeLimitKind::Hard, TimeLimitKind::Soft)
                && (last.what, last.iteration) == (what, iteration)
        });
        let warning = warning.map(|warning| self.time_limits.remove(warning));
        reached.seconds = warning.and_then(|warning| warning.announced).or(reached.seconds);
        self.time_limits.push(reached);
    }

    /// The task that the event ended at its hard limit, with its seconds if known.
    fn hard_limit(&self, event: &LoopEvent) -> Option<(TimedTask, Option<f64>)> {
        Some(match event {
            LoopEvent::IterationEnded(ended) if ended.status == IterationStatus::TimedOut => {
                let is_review = ended.mode.is_review();
                (if is_review { TimedTask::Review } else { TimedTask::Implement }, None)
            }
            LoopEvent::CheckEnded(check) if check.outcome == CheckOutcome::TimedOut => {
                (TimedTask::Check, Some(check.seconds))
            }
            LoopEvent::QualityChecked { outcome: QualityOutcome::TimedOut, seconds, .. } => {
                (TimedTask::Quality, Some(*seconds))
            }
            LoopEvent::AgentEnded(ended)
                if ended.outcome == AgentOutcome::TimedOut && self.compaction().is_some() =>
            {
                (TimedTask::Memory, Some(ended.seconds))
            }
            LoopEvent::RunEnded(ended) if ended.end == RunEnd::TimeUsed => {
                (TimedTask::Run, self.start.as_ref().and_then(|start| start.max_seconds))
            }
            _ => return None,
        })
    }
}
