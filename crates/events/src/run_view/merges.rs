//! Merges of approved stories into the run's branch, with the checks of the merged files.

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use tasks::StoryId;

use super::{CheckView, RunView};
use crate::{CheckRecord, Gate, LoopEvent};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeRecord {
    pub lane: Option<u64>,
    pub story: StoryId,
    pub branch: String,
    pub started_at: DateTime<Utc>,
    /// The running check.
    pub gate: Option<CheckView>,
    /// In the order they ran.
    #[serde(skip)]
    pub checks: Vec<CheckRecord>,
    /// `None` while it runs.
    #[serde(skip)]
    pub end: Option<MergeEnd>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MergeEnd {
    pub at: DateTime<Utc>,
    pub result: MergeResult,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeResult {
    /// The run's branch is at this commit.
    Merged { commit: String },
    /// A conflict, or a failed check of the merged files.
    Failed { error: String },
    /// The run ended before.
    CutOff,
}

/// A story that waits to be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedStory {
    pub story: StoryId,
    pub lane: Option<u64>,
    pub since: DateTime<Utc>,
}

impl MergeRecord {
    pub fn commit(&self) -> Option<&str> {
        match &self.end.as_ref()?.result {
            MergeResult::Merged { commit } => Some(commit),
            MergeResult::Failed { .. } | MergeResult::CutOff => None,
        }
    }
}

impl RunView {
    /// The running merge: there is one at a time.
    pub fn merging(&self) -> Option<&MergeRecord> {
        self.merges.last().filter(|last| last.end.is_none())
    }

    /// The merge with which the story's work came into the run's branch.
    pub fn merged(&self, story: &StoryId) -> Option<&MergeRecord> {
        self.merges.iter().rfind(|merge| merge.story == *story && merge.commit().is_some())
    }

    pub(super) fn apply_to_merges(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        event: &LoopEvent,
    ) {
        match event {
            LoopEvent::StoryQueued { story } => {
                self.merge_queue.retain(|queued| queued.story != *story);
                self.merge_queue.push(QueuedStory { story: story.clone(), lane, since: at });
            }
            LoopEvent::MergeStarted { story, branch } => self.begin_merge(at, lane, story, branch),
            LoopEvent::StoryMerged { story, branch, commit } => {
                if self.merging().is_none_or(|merge| merge.story != *story) {
                    self.begin_merge(at, lane, story, branch);
                }
                self.end_merge(at, MergeResult::Merged { commit: commit.clone() });
            }
            LoopEvent::AttemptFailed(failed)
                if failed.gate == Gate::Merge
                    && self.merging().is_some_and(|merge| merge.story == failed.story) =>
            {
                self.end_merge(at, MergeResult::Failed { error: failed.error.clone() });
            }
            LoopEvent::StoryGivenUp { story, .. } => {
                self.merge_queue.retain(|queued| queued.story != *story);
            }
            LoopEvent::CheckStarted { command, number, of } => {
                let (command, number, of) = (command.clone(), *number, *of);
                if let Some(merge) = self.merge_in(lane) {
                    merge.gate = Some(CheckView { command, number, of, started_at: at });
                }
            }
            LoopEvent::CheckEnded(check) => {
                if let Some(merge) = self.merge_in(lane) {
                    merge.gate = None;
                    merge.checks.push(check.clone());
                }
            }
            LoopEvent::RunStarted { .. } | LoopEvent::RunEnded { .. } => {
                self.merge_queue.clear();
                // A runner that was killed stopped merging at its last event.
                self.end_merge(self.last_event.unwrap_or(at), MergeResult::CutOff);
            }
            _ => {}
        }
    }

    /// The merge whose checks are those of the lane.
    fn merge_in(&mut self, lane: Option<u64>) -> Option<&mut MergeRecord> {
        if self.iteration_in(lane).is_some() {
            return None;
        }
        self.merges.last_mut().filter(|merge| merge.end.is_none() && merge.lane == lane)
    }

    fn begin_merge(&mut self, at: DateTime<Utc>, lane: Option<u64>, story: &StoryId, branch: &str) {
        self.end_merge(at, MergeResult::CutOff);
        self.merge_queue.retain(|queued| queued.story != *story);
        self.merges.push(MergeRecord {
            lane,
            story: story.clone(),
            branch: branch.to_owned(),
            started_at: at,
            gate: None,
            checks: Vec::new(),
            end: None,
        });
    }

    fn end_merge(&mut self, at: DateTime<Utc>, result: MergeResult) {
        if let Some(running) = self.merges.last_mut().filter(|last| last.end.is_none()) {
            running.gate = None;
            running.end = Some(MergeEnd { at, result });
        }
    }
}

pub(super) fn serialize_running<S: Serializer>(
    merges: &[MergeRecord],
    to: S,
) -> Result<S::Ok, S::Error> {
    merges.last().serialize(to)
}

pub(super) fn none_runs(merges: &[MergeRecord]) -> bool {
    merges.last().is_none_or(|last| last.end.is_some())
}
