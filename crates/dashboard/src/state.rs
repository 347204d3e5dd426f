//! Everything that is shown: what the events come to, and where the person in front of it looks.
//!
//! It is fed with events and keys and has no clock, no file and no terminal of its own.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use engine::{LoopEvent, Stamped};
use events::{History, LogCheck, Role, RunState};
use project::orders::Order;
use ratatui::layout::Size;

use crate::line_editor::LineEditor;
use crate::log::Log;
use crate::look::Look;
use crate::replay::Replay;
use crate::search::Search;
use crate::stream::Stream;

/// For which something that was said is seen.
const READ_WITHIN: TimeDelta = TimeDelta::seconds(5);

#[derive(Debug)]
pub struct State {
    pub(crate) look: Look,
    /// Of the times that are shown.
    pub(crate) offset: FixedOffset,
    pub(crate) part: Part,
    pub(crate) history: History,
    pub(crate) stream: Stream,
    pub(crate) log: Log,
    applied: usize,
    /// `None` until the log is read and the process was looked for.
    pub(crate) run_state: Option<RunState>,
    stops: Stops,
    pub(crate) pause: Pause,
    pub(crate) size: Size,
    pub(crate) focus: Focus,
    pub(crate) scroll: Scroll,
    pub(crate) asks: Asks,
    pub(crate) search: Option<Search>,
    pub(crate) notice: Option<Notice>,
    /// How much of the log was read, while that takes its time.
    pub(crate) reading: Option<u64>,
    /// A newer run of the project.
    pub(crate) newer: Option<String>,
    /// What is wrong with the log, in a sentence.
    pub(crate) log_altered: Option<String>,
}

/// What the person in front of it does here.
#[derive(Debug)]
pub enum Part {
    /// Looks at a run of another process, or of another time.
    Watches,
    /// Runs it: the loop is this process.
    Runs,
    /// Sees it once more.
    Replays(Replay),
}

/// What a key asks of the world outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Leave,
    /// As Ctrl-C does without a dashboard.
    Interrupt,
    Order(Order),
    /// Back to the shell for now, as Ctrl-Z does without a dashboard.
    Suspend,
    ToNewerRun,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    No,
    /// After this iteration.
    Asked,
    Now,
}

/// Something to say once, until somebody presses a key or has had the time to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) role: Role,
    pub(crate) text: String,
    since: Option<DateTime<Utc>>,
}

/// How often it was told to stop: the second time kills the agent.
#[derive(Debug, Clone, Copy, Default)]
struct Stops {
    asked_here: u64,
    heard: u64,
}

/// What one more word to stop would come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextStop {
    First,
    KillAgent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Focus {
    Stories,
    Stream,
    Log,
}

/// The last line that is seen of each panel; `None` follows what happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    pub(crate) stories: Option<usize>,
    pub(crate) stream: Option<u64>,
    pub(crate) log: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asks {
    Nothing,
    Help,
    Search(LineEditor),
    Steer(LineEditor),
    /// Whether it is really meant.
    Sure(Order),
}

impl State {
    pub fn new(look: Look, offset: FixedOffset, part: Part) -> Self {
        let run_state = match part {
            Part::Runs => Some(RunState::Running),
            Part::Watches | Part::Replays(_) => None,
        };
        Self {
            look,
            offset,
            part,
            history: History::default(),
            stream: Stream::default(),
            log: Log::default(),
            applied: 0,
            run_state,
            stops: Stops::default(),
            pause: Pause::No,
            size: Size::new(80, 24),
            focus: Focus::Stream,
            scroll: Scroll::default(),
            asks: Asks::Nothing,
            search: None,
            notice: None,
            reading: None,
            newer: None,
            log_altered: None,
        }
    }

    pub fn apply(&mut self, stamped: &Stamped) {
        let decided = self.history.decisions.len();
        self.history.apply(stamped);
        self.stream.apply(&stamped.event);
        self.log.apply(stamped, &self.history.decisions[decided..]);
        self.apply_pause(&stamped.event);
        self.apply_stop(&stamped.event);
        if matches!(stamped.event, LoopEvent::OrderAccepted { .. }) {
            // The log says it now.
            self.notice = None;
        }
        self.applied += 1;
    }

    /// Events so far.
    pub fn applied(&self) -> usize {
        self.applied
    }

    /// As if nothing had happened yet; what the person looks at stays.
    pub fn rewind(&mut self) {
        self.history = History::default();
        self.stream = Stream::default();
        self.log = Log::default();
        (self.applied, self.pause, self.stops) = (0, Pause::No, Stops::default());
        self.scroll = Scroll::default();
    }

    pub fn set_run_state(&mut self, run_state: RunState) {
        self.run_state = Some(run_state);
    }

    pub fn set_size(&mut self, size: Size) {
        self.size = size;
    }

    /// In per cent.
    pub fn set_reading(&mut self, reading: Option<u64>) {
        self.reading = reading;
    }

    pub fn set_newer(&mut self, run: Option<String>) {
        self.newer = run;
    }

    /// Of a log that was read to its end.
    pub fn set_log_check(&mut self, check: &LogCheck) {
        self.log_altered = check.altered().map(str::to_owned);
    }

    pub fn say(&mut self, role: Role, text: impl Into<String>) {
        self.notice = Some(Notice { role, text: text.into(), since: None });
    }

    /// Lets go what was said long enough ago.
    pub(crate) fn pass_time(&mut self, now: DateTime<Utc>) {
        let Some(notice) = &mut self.notice else { return };
        if now - *notice.since.get_or_insert(now) >= READ_WITHIN {
            self.notice = None;
        }
    }

    /// Somebody here told it to stop, and it shows at once.
    pub(crate) fn asked_to_stop(&mut self) {
        self.stops.asked_here = self.stops.asked_here.max(self.stops.heard) + 1;
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.history.view.stopping || self.next_stop() != NextStop::First
    }

    pub(crate) fn next_stop(&self) -> NextStop {
        match self.stops.asked_here.max(self.stops.heard) {
            0 => NextStop::First,
            _ => NextStop::KillAgent,
        }
    }

    pub fn replay_mut(&mut self) -> Option<&mut Replay> {
        match &mut self.part {
            Part::Replays(replay) => Some(replay),
            Part::Watches | Part::Runs => None,
        }
    }

    pub(crate) fn replay(&self) -> Option<&Replay> {
        match &self.part {
            Part::Replays(replay) => Some(replay),
            Part::Watches | Part::Runs => None,
        }
    }

    /// Whether it can be told anything.
    pub(crate) fn accepts_orders(&self) -> bool {
        self.goes_on() && self.replay().is_none() && self.history.view.start.is_some()
    }

    /// It is gone and did not say how it ended.
    pub(crate) fn is_dead(&self) -> bool {
        self.run_state == Some(RunState::Died)
            && self.history.view.end.is_none()
            && self.replay().is_none()
    }

    fn goes_on(&self) -> bool {
        self.run_state == Some(RunState::Running) && self.history.view.end.is_none()
    }

    /// The run's own time: of one that is over or seen once more, that of its last event.
    pub(crate) fn now(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        match (&self.part, self.goes_on()) {
            (Part::Watches | Part::Runs, true) => now,
            _ => self.history.last_event.unwrap_or(now),
        }
    }

    /// In seconds.
    pub(crate) fn worked(&self, now: DateTime<Utc>) -> f64 {
        self.history.view.worked.seconds_at(self.now(now))
    }

    fn apply_stop(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { .. } => self.stops = Stops::default(),
            LoopEvent::OrderAccepted { order: Order::Stop } => self.stops.heard += 1,
            LoopEvent::StopRequested { .. } => self.stops.heard = self.stops.heard.max(1),
            _ => {}
        }
    }

    fn apply_pause(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { .. } => self.pause = Pause::No,
            LoopEvent::OrderAccepted { order: Order::Pause } if self.pause == Pause::No => {
                self.pause = Pause::Asked;
            }
            LoopEvent::OrderAccepted { order: Order::GoOn } if self.pause == Pause::Asked => {
                self.pause = Pause::No;
            }
            LoopEvent::Paused => self.pause = Pause::Now,
            LoopEvent::Resumed | LoopEvent::RunEnded { .. } => self.pause = Pause::No,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
