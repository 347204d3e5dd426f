//! The state of the dashboard, built from events and keys. It does no I/O and has no clock.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use events::{IterationRecord, LaneView, LoopEvent, Role, RunState, RunView, Stamped};
use project::orders::Order;
use ratatui::layout::Size;

use crate::line_editor::LineEditor;
use crate::log::{self, LogEntry};
use crate::look::Look;
use crate::replay::Replay;
use crate::search::Search;
use crate::stream::{AgentStream, SearchDirection};

/// How long a notice is shown.
const NOTICE_TIME: TimeDelta = TimeDelta::seconds(5);

#[derive(Debug)]
pub(crate) struct DashboardState {
    pub(crate) look: Look,
    /// Time zone of the times shown.
    pub(crate) offset: FixedOffset,
    pub(crate) mode: DashboardMode,
    /// Keys that request a pause or a stop change it at once, although the run reads the order later.
    pub(crate) view: RunView,
    /// Of each lane; `None` is that of a run without lanes.
    streams: BTreeMap<Option<u64>, AgentStream>,
    /// The chosen lane.
    lane: Option<u64>,
    pub(crate) log: Vec<LogEntry>,
    /// The number of events so far.
    pub(crate) applied: usize,
    /// `None` until the log is read and the process was checked.
    pub(crate) run_state: Option<RunState>,
    /// The time of the frame.
    pub(crate) clock: DateTime<Utc>,
    pub(crate) size: Size,
    pub(crate) focus: Focus,
    pub(crate) scroll: Scroll,
    pub(crate) prompt: Prompt,
    pub(crate) search: Option<Search>,
    pub(crate) notice: Option<Notice>,
    /// Progress of reading a long log, in per cent.
    pub(crate) reading: Option<u64>,
    /// A newer run of the project.
    pub(crate) newer: Option<String>,
    /// How the log was altered.
    pub(crate) log_altered: Option<String>,
}

/// How the dashboard is used.
#[derive(Debug)]
pub(crate) enum DashboardMode {
    /// Shows a run of another process, or a recorded one.
    Watching,
    /// The loop runs in this process.
    Running,
    /// Replays a recorded run.
    Replaying(Replay),
}

/// An action that a key requests from the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Leave,
    /// Like Ctrl-C without a dashboard.
    Interrupt,
    Order(Order),
    /// Like Ctrl-Z without a dashboard.
    Suspend,
    ToNewerRun,
}

/// A message that is shown until a key is pressed or its time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) role: Role,
    pub(crate) text: String,
    since: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Focus {
    Stories,
    Stream,
    Log,
}

/// The last visible line of each panel; `None` follows new lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    pub(crate) stories: Option<usize>,
    pub(crate) stream: Option<u64>,
    pub(crate) log: Option<usize>,
}

/// What the user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Search,
    Instruction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prompt {
    Nothing,
    Help,
    Line(Wanted, LineEditor),
    /// Prompt for confirmation.
    Confirm(Order),
}

impl DashboardState {
    pub(crate) fn new(look: Look, offset: FixedOffset, mode: DashboardMode) -> Self {
        let run_state = match mode {
            DashboardMode::Running => Some(RunState::Running),
            DashboardMode::Watching | DashboardMode::Replaying(_) => None,
        };
        Self {
            look,
            offset,
            mode,
            view: RunView::default(),
            streams: BTreeMap::new(),
            lane: None,
            log: Vec::new(),
            applied: 0,
            run_state,
            clock: DateTime::UNIX_EPOCH,
            size: Size::new(80, 24),
            focus: Focus::Stream,
            scroll: Scroll::default(),
            prompt: Prompt::Nothing,
            search: None,
            notice: None,
            reading: None,
            newer: None,
            log_altered: None,
        }
    }

    pub(crate) fn apply(&mut self, stamped: &Stamped) {
        self.apply_to_streams(stamped);
        log::apply(&mut self.log, stamped, &self.view, self.offset);
        self.view.apply(stamped);
        if matches!(stamped.event, LoopEvent::OrderAccepted { .. }) {
            // The log shows it now.
            self.notice = None;
        }
        self.applied += 1;
    }

    /// An event about the run as a whole is shown in each lane.
    fn apply_to_streams(&mut self, stamped: &Stamped) {
        let (view, offset) = (&self.view, self.offset);
        self.streams.entry(stamped.lane).or_default().apply(stamped, view, offset);
        if stamped.lane.is_none() {
            let lanes = self.streams.iter_mut().filter(|(lane, _)| lane.is_some());
            lanes.for_each(|(_, stream)| stream.apply(stamped, view, offset));
        }
    }

    /// The lane whose stream is shown large; `None` in a run without lanes.
    pub(crate) fn shown_lane(&self) -> Option<u64> {
        let first = self.view.lanes.first().map(|lane| lane.number);
        self.lane.filter(|lane| self.view.lane(*lane).is_some()).or(first)
    }

    pub(crate) fn shown_lane_view(&self) -> Option<&LaneView> {
        self.view.lane(self.shown_lane()?)
    }

    /// Its stream follows new lines.
    pub(crate) fn show_lane(&mut self, number: u64) {
        if self.view.lane(number).is_some() {
            (self.lane, self.scroll.stream) = (Some(number), None);
        }
    }

    /// The next lane, or the one before.
    pub(crate) fn move_to_lane(&mut self, direction: SearchDirection) {
        let lanes = &self.view.lanes;
        let shown = self.shown_lane();
        let Some(at) = lanes.iter().position(|lane| Some(lane.number) == shown) else { return };
        let step = match direction {
            SearchDirection::Later => 1,
            SearchDirection::Earlier => lanes.len() - 1,
        };
        self.show_lane(lanes[(at + step) % lanes.len()].number);
    }

    /// Of the shown lane.
    pub(crate) fn stream(&self) -> &AgentStream {
        self.stream_of(self.shown_lane())
    }

    pub(crate) fn stream_of(&self, lane: Option<u64>) -> &AgentStream {
        static EMPTY: AgentStream = AgentStream::new();
        self.streams.get(&lane).unwrap_or(&EMPTY)
    }

    /// The running iteration of the shown lane.
    pub(crate) fn iteration(&self) -> Option<&IterationRecord> {
        self.view.iteration_in(self.shown_lane())
    }

    /// Removes all events; focus and search stay.
    pub(crate) fn rewind(&mut self) {
        self.view = RunView::default();
        self.streams.clear();
        self.log.clear();
        self.applied = 0;
        self.scroll = Scroll::default();
    }

    pub(crate) fn set_notice(&mut self, role: Role, text: impl Into<String>) {
        self.notice = Some(Notice { role, text: text.into(), since: None });
    }

    /// Sets the time, and removes an expired notice.
    pub(crate) fn pass_time(&mut self, now: DateTime<Utc>) {
        self.clock = now;
        let Some(notice) = &mut self.notice else { return };
        if now - *notice.since.get_or_insert(now) >= NOTICE_TIME {
            self.notice = None;
        }
    }

    pub(crate) fn replay(&self) -> Option<&Replay> {
        if let DashboardMode::Replaying(replay) = &self.mode { Some(replay) } else { None }
    }

    /// Whether orders can be sent.
    pub(crate) fn accepts_orders(&self) -> bool {
        self.goes_on() && self.replay().is_none() && self.view.start.is_some()
    }

    /// The process ended without a result.
    pub(crate) fn is_dead(&self) -> bool {
        self.run_state == Some(RunState::Died) && self.view.end.is_none() && self.replay().is_none()
    }

    fn goes_on(&self) -> bool {
        self.run_state == Some(RunState::Running) && self.view.end.is_none()
    }

    /// The current time, or for an ended or replayed run the time of its last event.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        let is_current = self.goes_on() && self.replay().is_none();
        if is_current { self.clock } else { self.view.last_event.unwrap_or(self.clock) }
    }

    /// In seconds.
    pub(crate) fn worked(&self) -> f64 {
        self.view.worked.seconds_at(self.now())
    }
}

#[cfg(test)]
mod tests;
