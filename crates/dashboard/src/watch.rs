//! Follows the log of a run, while another process writes it or later.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use events::{Follow, FollowUpdate, Role, RunState, run_is_alive, run_logs};
use project::Layout;
use project::orders::{self, Order};

use crate::look::Look;
use crate::order_text::order_text;
use crate::replay::{EventTimes, Replay};
use crate::state::{DashboardMode, DashboardState, Effect};
use crate::terminal_screen::TerminalScreen;

/// Longest time of reading before the next frame.
const SLICE: Duration = Duration::from_millis(40);
/// Interval of reading the log.
const TICK: Duration = Duration::from_millis(100);
const FRAME: Duration = Duration::from_millis(33);
/// Interval of checking for the run's process and for newer runs.
const PROCESS_CHECK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct WatchOptions<'w> {
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
    NoEvents(String),
    #[error("cannot read the event log of the run: {0}")]
    Log(io::Error),
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] io::Error),
}

pub fn watch(mut options: WatchOptions<'_>) -> Result<WatchResult, WatchError> {
    let mut watcher = Watcher::attach(&options)?;
    let mut screen = TerminalScreen::enter()?;
    let newest = newest(&options);
    if let Some(speed) = options.replay
        && watcher.read_times(&mut screen, &options, speed)?.is_break()
    {
        return Ok(watcher.left(options.run));
    }
    loop {
        let has_more = watcher.read_log()?;
        // Unread events may have the current pid.
        if !has_more {
            watcher.check_process(&options, newest.as_deref());
        }
        screen.draw(&mut watcher.state)?;
        let wait = match options.replay {
            _ if has_more => Duration::ZERO,
            Some(_) => FRAME,
            None => TICK,
        };
        if options.over.load(Ordering::SeqCst) {
            return Ok(watcher.left(options.run));
        }
        for input in screen.inputs(wait)? {
            match watcher.state.input(input) {
                None => {}
                Some(Effect::Leave | Effect::Interrupt) => return Ok(watcher.left(options.run)),
                Some(Effect::Suspend) => screen.suspend()?,
                Some(Effect::Order(order)) => {
                    give(&mut watcher.state, options.layout, &options.run, &order);
                }
                Some(Effect::ToNewerRun) => {
                    if let Some(newer) = watcher.state.newer.take() {
                        (options.run, options.replay) = (newer, None);
                        watcher = Watcher::attach(&options)?;
                    }
                }
            }
        }
    }
}

/// Sends an order to the run and shows a notice.
pub(crate) fn give(state: &mut DashboardState, layout: &Layout, run: &str, order: &Order) {
    match orders::give(layout, run, order) {
        Ok(_) => {
            if *order == Order::Stop {
                state.view.stopping = true;
            }
            state.set_notice(Role::Accent, format!("Sent: {}", order_text(order)));
        }
        Err(error) => state.set_notice(Role::Bad, error.to_string()),
    }
}

fn newest(options: &WatchOptions<'_>) -> Option<String> {
    run_logs::latest(options.layout).ok()?
}

struct Watcher {
    state: DashboardState,
    follow: Follow,
    process_checked: Option<Instant>,
    ticked: Instant,
}

impl Watcher {
    fn attach(options: &WatchOptions<'_>) -> Result<Self, WatchError> {
        let follow = Follow::open(options.layout, &options.run).map_err(WatchError::Log)?;
        let follow = follow.ok_or_else(|| WatchError::NoEvents(options.run.clone()))?;
        let state = DashboardState::new(options.look, options.offset, DashboardMode::Watching);
        Ok(Self { state, follow, process_checked: None, ticked: Instant::now() })
    }

    /// Reads the log to its end for its times. `Break` if the user left meanwhile.
    fn read_times(
        &mut self,
        screen: &mut TerminalScreen,
        options: &WatchOptions<'_>,
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
            self.show_progress();
            screen.draw(&mut self.state)?;
            for input in screen.inputs(Duration::ZERO)? {
                if self.state.input(input) == Some(Effect::Leave)
                    || options.over.load(Ordering::SeqCst)
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.state = DashboardState::new(
            options.look,
            options.offset,
            DashboardMode::Replaying(Replay::new(times, speed)),
        );
        self.check_log();
        self.follow.rewind();
        self.ticked = Instant::now();
        Ok(ControlFlow::Continue(()))
    }

    /// Applies new events for a short time; `true` if there are more.
    fn read_log(&mut self) -> Result<bool, WatchError> {
        let passed = self.ticked.elapsed();
        self.ticked = Instant::now();
        let due = match &mut self.state.mode {
            DashboardMode::Replaying(replay) => Some(replay.tick(passed)),
            DashboardMode::Watching | DashboardMode::Running => None,
        };
        if due.is_some_and(|due| due < self.state.applied) {
            self.state.rewind();
            self.follow.rewind();
        }
        let (state, began) = (&mut self.state, Instant::now());
        if due == Some(state.applied) {
            return Ok(false);
        }
        let mut has_more = false;
        let looked = self.follow.poll_until(|stamped| {
            state.apply(&stamped);
            let flow =
                if due == Some(state.applied) { ControlFlow::Break(()) } else { enough(began) };
            has_more = flow.is_break() && due != Some(state.applied);
            flow
        });
        if looked.map_err(WatchError::Log)? == FollowUpdate::Replaced {
            self.state.rewind();
            return Ok(true);
        }
        if has_more {
            self.show_progress();
            return Ok(true);
        }
        self.state.reading = None;
        if due.is_none() {
            self.check_log();
        }
        Ok(false)
    }

    /// For a log that was read to its end.
    fn check_log(&mut self) {
        self.state.log_altered = self.follow.check().altered().map(str::to_owned);
    }

    fn show_progress(&mut self) {
        let (read, of) = self.follow.progress().unwrap_or_default();
        self.state.reading = Some(read.saturating_mul(100) / of.max(1));
    }

    fn check_process(&mut self, options: &WatchOptions<'_>, newest_then: Option<&str>) {
        if self.process_checked.is_some_and(|at| at.elapsed() < PROCESS_CHECK) {
            return;
        }
        self.process_checked = Some(Instant::now());
        let view = &self.state.view;
        let is_alive = run_is_alive(options.layout, view.start.as_ref().map(|start| start.pid));
        let run_state = RunState::of(view.end.as_ref(), is_alive);
        // The process may have written its last events just before it ended.
        let is_read = self.follow.progress().is_ok_and(|(read, of)| read == of);
        if run_state != RunState::Died || is_read {
            self.state.run_state = Some(run_state);
        }
        self.state.newer =
            newest(options).filter(|id| *id != options.run && Some(id.as_str()) != newest_then);
    }

    fn left(&self, run: String) -> WatchResult {
        // Its end may be newer than the last check.
        let ended = self.state.view.end.is_some();
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
    use crate::tests::PLAIN;

    fn watched(text: &str) -> Option<String> {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(RUN)).unwrap();
        std::fs::write(layout.run_dir(RUN).join("events.jsonl"), text).unwrap();
        let options = WatchOptions {
            layout: &layout,
            run: RUN.into(),
            look: PLAIN,
            offset: chrono::Offset::fix(&chrono::Utc),
            replay: None,
            over: Arc::default(),
        };
        let mut watcher = Watcher::attach(&options).unwrap();
        while watcher.read_log().unwrap() {}
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
