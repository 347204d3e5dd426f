//! Selects the run to show, reads its log, and checks whether it is running.

use std::io;
use std::time::{Duration, Instant};

use events::{Follow, FollowUpdate, RunState, RunView, run_is_alive, run_logs};
use project::Layout;

#[derive(Debug)]
pub(crate) struct RunFollower {
    layout: Layout,
    /// The run to show; otherwise the newest one.
    pub(crate) named: Option<String>,
    pub(crate) shown: Option<ShownRun>,
    /// Interval of checking for newer runs and for the run's process.
    check_interval: Duration,
    checked: Option<Instant>,
}

/// A run with events.
#[derive(Debug)]
pub(crate) struct ShownRun {
    pub(crate) id: String,
    pub(crate) view: RunView,
    pub(crate) state: RunState,
    pub(crate) follow: Follow,
}

impl RunFollower {
    pub(crate) fn new(layout: Layout, named: Option<String>, check_interval: Duration) -> Self {
        Self { layout, named, shown: None, check_interval, checked: None }
    }

    /// Reads the log; `true` if anything changed. A log that cannot be read counts as unchanged.
    pub(crate) fn update(&mut self) -> bool {
        let is_time = self.checked.is_none_or(|at| at.elapsed() >= self.check_interval);
        let mut changed = false;
        if is_time {
            self.checked = Some(Instant::now());
            changed = self.select_run().unwrap_or(false);
        }
        let Some(shown) = &mut self.shown else { return changed };
        changed |= shown.read();
        if is_time || changed {
            changed |= shown.update_state(&self.layout);
        }
        changed
    }

    /// `true` if it selected another run.
    fn select_run(&mut self) -> io::Result<bool> {
        let id = match &self.named {
            Some(id) => Some(id.clone()),
            None => run_logs::latest(&self.layout)?,
        };
        let Some(id) = id.filter(|id| self.shown.as_ref().is_none_or(|shown| shown.id != *id))
        else {
            return Ok(false);
        };
        let Some(follow) = Follow::open(&self.layout, &id)? else { return Ok(false) };
        let view = RunView::default();
        self.shown = Some(ShownRun { id, view, state: RunState::Running, follow });
        Ok(true)
    }
}

impl ShownRun {
    /// `true` if there were new events.
    fn read(&mut self) -> bool {
        let view = &mut self.view;
        match self.follow.poll(|stamped| view.apply(&stamped)) {
            Ok(FollowUpdate::Some) => true,
            Ok(FollowUpdate::Replaced) => {
                self.view = RunView::default();
                self.read();
                true
            }
            Ok(FollowUpdate::Nothing) | Err(_) => false,
        }
    }

    /// `true` if the run ended or resumed.
    fn update_state(&mut self, layout: &Layout) -> bool {
        let view = &self.view;
        let pid = view.start.as_ref().map(|start| start.pid);
        let state = RunState::of(view.end.as_ref(), run_is_alive(layout, pid));
        std::mem::replace(&mut self.state, state) != state
    }
}
