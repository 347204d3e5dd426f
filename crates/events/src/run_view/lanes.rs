//! The lanes of a run that works on several stories at once, and what each of them did.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::StoryId;

use super::{Activity, IterationRecord, MergeResult, RunView};
use crate::{Gate, LoopEvent, Stamped, WaitView};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneView {
    /// From 1.
    pub number: u64,
    /// Its clone; empty until it is known.
    pub folder: String,
    pub story: Option<StoryId>,
    pub state: LaneState,
    /// When it came into this state.
    pub since: DateTime<Utc>,
    /// What the lane waits for before it goes on with its story.
    pub waiting: Option<WaitView>,
    pub last_activity: Option<Activity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
pub enum LaneState {
    /// It has no story.
    #[strum(to_string = "idle")]
    Idle,
    /// Its clone is made or updated.
    #[strum(to_string = "setting up")]
    SettingUp,
    /// The session of its iteration waits in the queue of a batch engine.
    #[strum(to_string = "queued")]
    Queued,
    #[strum(to_string = "working")]
    Working,
    /// Its story is approved.
    #[strum(to_string = "waiting for merge")]
    WaitingForMerge,
    #[strum(to_string = "merging")]
    Merging,
}

/// What a lane did for some time.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneSpan<'v> {
    pub lane: u64,
    pub story: Option<&'v StoryId>,
    pub kind: SpanKind<'v>,
    pub from: DateTime<Utc>,
    /// `None` while it goes on.
    pub to: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpanKind<'v> {
    Iteration(&'v IterationRecord),
    /// Without a result while it runs.
    Merge(Option<&'v MergeResult>),
}

impl LaneState {
    /// Whether a program of the run works for the lane.
    fn is_busy(self) -> bool {
        matches!(self, Self::SettingUp | Self::Working | Self::Merging)
    }
}

impl LaneView {
    fn new(number: u64, since: DateTime<Utc>) -> Self {
        let (folder, state) = (String::new(), LaneState::Idle);
        let (story, waiting, last_activity) = Default::default();
        Self { number, folder, story, state, since, waiting, last_activity }
    }

    fn enter(&mut self, at: DateTime<Utc>, state: LaneState) {
        self.waiting = None;
        if self.state != state {
            (self.state, self.since) = (state, at);
        }
    }

    fn take(&mut self, at: DateTime<Utc>, story: Option<&StoryId>, state: LaneState) {
        if self.story.as_ref() != story {
            (self.story, self.since) = (story.cloned(), at);
        }
        self.enter(at, state);
    }

    fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        match event {
            LoopEvent::LanePrepared { folder, .. } => {
                self.folder.clone_from(folder);
                self.enter(at, LaneState::SettingUp);
            }
            LoopEvent::SetupStarted { .. } => self.enter(at, LaneState::SettingUp),
            LoopEvent::JobWaiting { .. } => self.enter(at, LaneState::Queued),
            LoopEvent::JobStarted { .. } => self.enter(at, LaneState::Working),
            LoopEvent::StoryAssigned { story, .. } => {
                self.take(at, Some(story), LaneState::Working);
            }
            LoopEvent::IterationStarted(started) => {
                self.take(at, started.story.as_ref(), LaneState::Working);
            }
            LoopEvent::StoryQueued { story } => {
                self.take(at, Some(story), LaneState::WaitingForMerge);
            }
            LoopEvent::MergeStarted { story, .. } => self.take(at, Some(story), LaneState::Merging),
            LoopEvent::StoryMerged { .. } => self.take(at, None, LaneState::Idle),
            // The next iteration of the story names its lane again.
            LoopEvent::AttemptFailed(failed) if failed.gate == Gate::Merge => {
                self.take(at, None, LaneState::Idle);
            }
            LoopEvent::Waiting(wait) => self.waiting = Some(wait.clone()),
            _ => {}
        }
    }
}

impl RunView {
    pub fn lane(&self, number: u64) -> Option<&LaneView> {
        self.lanes.iter().find(|lane| lane.number == number)
    }

    /// What the lanes did, lane by lane, oldest first; of all starts of the run.
    pub fn lane_spans(&self) -> Vec<LaneSpan<'_>> {
        let iterations = self.records.iter().filter_map(|record| {
            // A run that ended without judging the iteration ended it.
            let ended = || self.last_event.filter(|_| !record.is_running);
            Some(LaneSpan {
                lane: record.lane?,
                story: record.story.as_ref(),
                kind: SpanKind::Iteration(record),
                from: record.started_at,
                to: record.ended_at().or_else(ended),
            })
        });
        let merges = self.merges.iter().filter_map(|merge| {
            let end = merge.end.as_ref();
            Some(LaneSpan {
                lane: merge.lane?,
                story: Some(&merge.story),
                kind: SpanKind::Merge(end.map(|end| &end.result)),
                from: merge.started_at,
                to: end.map(|end| end.at),
            })
        });
        let mut spans: Vec<_> = iterations.chain(merges).collect();
        spans.sort_by_key(|span| (span.lane, span.from));
        spans
    }

    pub(super) fn apply_to_lanes(&mut self, stamped: &Stamped, activity: Option<&Activity>) {
        let (at, event) = (stamped.at, &stamped.event);
        if let Some(number) = stamped.lane {
            let place = self.lanes.binary_search_by_key(&number, |lane| lane.number);
            let place = place.unwrap_or_else(|place| {
                self.lanes.insert(place, LaneView::new(number, at));
                place
            });
            let lane = &mut self.lanes[place];
            lane.apply(at, event);
            lane.last_activity = activity.cloned().or(lane.last_activity.take());
        }
        match event {
            // The next start may have fewer lanes.
            LoopEvent::RunStarted { .. } => self.lanes.clear(),
            LoopEvent::RunEnded { .. } => {
                self.lanes.iter_mut().for_each(|lane| lane.take(at, None, LaneState::Idle));
            }
            LoopEvent::StopRequested { .. } => {
                self.lanes.iter_mut().for_each(|lane| lane.waiting = None);
            }
            // The event may be about the run as a whole.
            LoopEvent::StoryGivenUp { story, .. } => {
                let with_story = |lane: &&mut LaneView| lane.story.as_ref() == Some(story);
                for lane in self.lanes.iter_mut().filter(with_story) {
                    lane.take(at, None, LaneState::Idle);
                }
            }
            _ => {}
        }
    }

    /// Whether the event is the wait of a lane while another lane works.
    pub(super) fn others_work(&self, stamped: &Stamped) -> bool {
        stamped.lane.is_some()
            && matches!(stamped.event, LoopEvent::Waiting(_))
            && self.lanes.iter().any(|lane| lane.waiting.is_none() && lane.state.is_busy())
    }
}
