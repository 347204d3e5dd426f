//! What the fold keeps of one lane, or of a run without lanes, to assign events to their session.

use super::record::IterationRecord;
use super::tool_calls::ToolCalls;
use super::{CheckView, RunView};
use crate::{LoopEvent, TokenCount};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Track {
    /// The index of its last iteration.
    record: Option<usize>,
    /// Of the running session between two iterations.
    between: ToolCalls,
    /// Of the sessions since the last iteration.
    pub(super) other_tokens: TokenCount,
    /// The last iteration that was reported as a failed attempt.
    pub(super) in_vain: Option<u64>,
}

static NO_CALLS: ToolCalls = ToolCalls { running: Vec::new(), made: 0, failed: 0 };

impl RunView {
    /// The last iteration of a lane; `None` is the lane of a run without lanes.
    pub fn last_iteration_in(&self, lane: Option<u64>) -> Option<&IterationRecord> {
        self.records.get(self.last_place_in(lane)?)
    }

    /// The running iteration of a lane.
    pub fn iteration_in(&self, lane: Option<u64>) -> Option<&IterationRecord> {
        self.last_iteration_in(lane).filter(|last| last.is_running)
    }

    /// The running iterations, by lane.
    pub fn running(&self) -> impl Iterator<Item = &IterationRecord> {
        self.tracks.keys().filter_map(|lane| self.iteration_in(*lane))
    }

    /// Of the running session of a lane, in an iteration or between two.
    pub fn calls_in(&self, lane: Option<u64>) -> &ToolCalls {
        let between = || self.tracks.get(&lane).map_or(&NO_CALLS, |track| &track.between);
        self.iteration_in(lane).map_or_else(between, |iteration| &iteration.calls)
    }

    /// The running check of a lane: of its iteration, or of its merge.
    pub fn check_in(&self, lane: Option<u64>) -> Option<&CheckView> {
        match self.iteration_in(lane) {
            Some(iteration) => iteration.gate.as_ref(),
            None => self.merging().filter(|merge| merge.lane == lane)?.gate.as_ref(),
        }
    }

    pub(super) fn track_mut(&mut self, lane: Option<u64>) -> &mut Track {
        self.tracks.entry(lane).or_default()
    }

    /// The index of the last iteration of a lane.
    pub(super) fn last_place_in(&self, lane: Option<u64>) -> Option<usize> {
        self.tracks.get(&lane)?.record
    }

    /// The last iteration of every lane.
    pub(super) fn each_last_mut(&mut self, mut change: impl FnMut(&mut IterationRecord)) {
        for last in self.tracks.values().filter_map(|track| track.record) {
            self.records.get_mut(last).into_iter().for_each(&mut change);
        }
    }

    pub(super) fn begin_record(&mut self, record: IterationRecord) {
        let index = self.records.len();
        self.track_mut(record.lane).record = Some(index);
        self.records.push(record);
    }

    pub(super) fn apply_between(&mut self, lane: Option<u64>, event: &LoopEvent) {
        if self.iteration_in(lane).is_none() {
            self.track_mut(lane).between.apply(event);
        }
    }
}
