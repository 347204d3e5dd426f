//! Follows the log of a run, while another process writes it or later.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use events::{Follow, FollowUpdate, Liveness, Role, RunState, run_logs};
use project::Layout;
use project::orders::{self, Order};

use crate::log::order_text;
use crate::look::Look;
use crate::replay::{EventTimes, Replay};
use crate::state::{DashboardMode, Effect, State};
use crate::terminal_screen::{Input, TerminalScreen};

/// Longest time of reading before the next frame.
const SLICE: Duration = Duration::from_millis(40);
/// Interval of reading the log.
const TICK: Duration = Duration::from_millis(100);
const FRAME: Duration = Duration::from_millis(33);
/// Interval of checking for the run's process and for newer runs.
const SURVEY: Duration = Duration::from_secs(1);

/// Options of `watch`.
#[derive(Debug)]
pub struct Watch<'w> {
    pub layout: &'w Layout,
    /// The run id.
    pub run: String,
    pub look: Look,
    /// Time zone of the times shown.
    pub offset: FixedOffset,
    /// Replay at this speed.
    pub replay: Option<f64>,
    /// Set by a termination signal.
    pub over: Arc<AtomicBool>,
}

/// The run and its state when the user left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchResult {
    pub run: String,
    /// `None` if its log was not read.
    pub state: Option<RunState>,
}

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("run {0} has no events")]
    Silent(String),
    #[error("cannot read the event log of the run: {0}")]
    Log(io::Error),
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] io::Error),
}

pub fn watch(mut asked: Watch<'_>) -> Result<WatchResult, WatchError> {
    let mut watcher = Watcher::attach(&asked)?;
    let mut screen = TerminalScreen::enter()?;
    let newest = newest(&asked);
    if let Some(speed) = asked.replay
        && watcher.wind_tape(&mut screen, &asked, speed)?.is_break()
    {
        return Ok(watcher.left(asked.run));
    }
    loop {
        let feed = watcher.feed()?;
        // Until then the last events, with the current pid, may be unread.
        if feed == Feed::Done {
            watcher.survey(&asked, newest.as_deref());
        }
        screen.draw(&mut watcher.state, engine::now())?;
        let wait = match (feed, asked.replay) {
            (Feed::More, _) => Duration::ZERO,
            (Feed::Done, Some(_)) => FRAME,
            (Feed::Done, None) => TICK,
        };
        if asked.over.load(Ordering::SeqCst) {
            return Ok(watcher.left(asked.run));
        }
        for input in screen.inputs(wait)? {
            match watcher.apply(input) {
                None => {}
                Some(Effect::Leave | Effect::Interrupt) => return Ok(watcher.left(asked.run)),
                Some(Effect::Suspend) => screen.suspend()?,
                Some(Effect::Order(order)) => {
                    give(&mut watcher.state, asked.layout, &asked.run, &order);
                }
                Some(Effect::ToNewerRun) => {
                    if let Some(newer) = watcher.state.newer.take() {
                        (asked.run, asked.replay) = (newer, None);
                        watcher = Watcher::attach(&asked)?;
                    }
                }
            }
        }
    }
}

/// Sends an order to the run and shows a notice.
pub(crate) fn give(state: &mut State, layout: &Layout, run: &str, order: &Order) {
    match orders::give(layout, run, order) {
        Ok(_) => {
            if *order == Order::Stop {
                state.asked_to_stop();
            }
            state.set_notice(Role::Accent, format!("Sent: {}", order_text(order)));
        }
        Err(error) => state.set_notice(Role::Bad, error.to_string()),
    }
}

fn newest(asked: &Watch<'_>) -> Option<String> {
    run_logs::latest(asked.layout).ok()?
}

/// Whether there is more to read immediately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feed {
    More,
    Done,
}

struct Watcher {
    state: State,
    follow: Follow,
    surveyed: Option<Instant>,
    ticked: Instant,
}

impl Watcher {
    fn attach(asked: &Watch<'_>) -> Result<Self, WatchError> {
        let follow = Follow::open(asked.layout, &asked.run).map_err(WatchError::Log)?;
        let follow = follow.ok_or_else(|| WatchError::Silent(asked.run.clone()))?;
        let state = State::new(asked.look, asked.offset, DashboardMode::Watching);
        Ok(Self { state, follow, surveyed: None, ticked: Instant::now() })
    }

    /// Reads the log to its end for its times. `Break` if the user left meanwhile.
    fn wind_tape(
        &mut self,
        screen: &mut TerminalScreen,
        asked: &Watch<'_>,
        speed: f64,
    ) -> Result<ControlFlow<()>, WatchError> {
        let mut times = EventTimes::default();
        loop {
            let began = Instant::now();
            let looked = self.follow.poll_until(|stamped| {
                times.push(&stamped);
                enough(began)
            });
            match looked.map_err(WatchError::Log)? {
                FollowUpdate::Nothing => break,
                FollowUpdate::Replaced => times = EventTimes::default(),
                FollowUpdate::Some => {}
            }
            self.tell_progress();
            screen.draw(&mut self.state, engine::now())?;
            for input in screen.inputs(Duration::ZERO)? {
                if self.apply(input) == Some(Effect::Leave) || asked.over.load(Ordering::SeqCst) {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.state = State::new(
            asked.look,
            asked.offset,
            DashboardMode::Replaying(Replay::new(times, speed)),
        );
        self.state.set_log_check(&self.follow.check());
        self.follow.rewind();
        self.ticked = Instant::now();
        Ok(ControlFlow::Continue(()))
    }

    fn feed(&mut self) -> Result<Feed, WatchError> {
        let passed = self.ticked.elapsed();
        self.ticked = Instant::now();
        let due = self.state.replay_mut().map(|replay| {
            replay.tick(passed);
            replay.due()
        });
        if due.is_some_and(|due| due < self.state.applied()) {
            self.state.rewind();
            self.follow.rewind();
        }
        let (state, began) = (&mut self.state, Instant::now());
        if due == Some(state.applied()) {
            return Ok(Feed::Done);
        }
        let mut broke = false;
        let looked = self.follow.poll_until(|stamped| {
            state.apply(&stamped);
            let flow =
                if due == Some(state.applied()) { ControlFlow::Break(()) } else { enough(began) };
            broke = flow.is_break() && due != Some(state.applied());
            flow
        });
        match looked.map_err(WatchError::Log)? {
            FollowUpdate::Replaced => {
                self.state.rewind();
                return Ok(Feed::More);
            }
            FollowUpdate::Nothing | FollowUpdate::Some => {}
        }
        if broke {
            self.tell_progress();
            return Ok(Feed::More);
        }
        self.state.set_reading(None);
        if due.is_none() {
            self.state.set_log_check(&self.follow.check());
        }
        Ok(Feed::Done)
    }

    fn tell_progress(&mut self) {
        let (read, of) = self.follow.progress().unwrap_or_default();
        self.state.set_reading(Some(read.saturating_mul(100) / of.max(1)));
    }

    fn survey(&mut self, asked: &Watch<'_>, newest_then: Option<&str>) {
        if self.surveyed.is_some_and(|at| at.elapsed() < SURVEY) {
            return;
        }
        self.surveyed = Some(Instant::now());
        let view = &self.state.history.view;
        let liveness = Liveness::of(asked.layout, view.start.as_ref().map(|start| start.pid));
        let run_state = RunState::of(view.end.as_ref(), liveness);
        // They may just have been written.
        let is_read = self.follow.progress().is_ok_and(|(read, of)| read == of);
        if run_state != RunState::Died || is_read {
            self.state.set_run_state(run_state);
        }
        let newer = newest(asked).filter(|id| *id != asked.run && Some(id.as_str()) != newest_then);
        self.state.set_newer(newer);
    }

    fn apply(&mut self, input: Input) -> Option<Effect> {
        match input {
            Input::Key(key) => self.state.key(key),
            Input::Paste(text) => {
                self.state.paste(&text);
                None
            }
        }
    }

    fn left(&self, run: String) -> WatchResult {
        // Its end may be newer than the last check.
        let ended = self.state.history.view.end.is_some();
        WatchResult { run, state: if ended { Some(RunState::Ended) } else { self.state.run_state } }
    }
}

fn enough(began: Instant) -> ControlFlow<()> {
    if began.elapsed() < SLICE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

#[cfg(test)]
mod tests {
    use events::samples::{RUN, a_run, log};

    use super::*;
    use crate::test_screens::PLAIN;

    fn watched(text: &str) -> Option<String> {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(RUN)).unwrap();
        std::fs::write(layout.run_dir(RUN).join("events.jsonl"), text).unwrap();
        let asked = Watch {
            layout: &layout,
            run: RUN.into(),
            look: PLAIN,
            offset: chrono::Offset::fix(&chrono::Utc),
            replay: None,
            over: Arc::default(),
        };
        let mut watcher = Watcher::attach(&asked).unwrap();
        while watcher.feed().unwrap() == Feed::More {}
        watcher.state.log_altered
    }

    #[test]
    fn an_altered_log_is_detected_after_reading() {
        let text = log(&a_run());
        assert_eq!(watched(&text), None);
        let altered = watched(text.split_once('\n').unwrap().1).unwrap();
        assert_eq!(altered, "the event log was altered: it begins with event 2");
    }
}
