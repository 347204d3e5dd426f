//! The run that is shown: its selection, its log and whether it is running.

use std::io;
use std::time::{Duration, Instant};

use events::{Follow, FollowUpdate, History, Liveness, LogCheck, RunState, run_logs};
use project::Layout;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSelection {
    /// The run with the latest event; changes when another one starts or resumes.
    Newest,
    /// The run with this id.
    Named(String),
}

#[derive(Debug)]
pub(crate) struct Subject {
    layout: Layout,
    which: RunSelection,
    shown: Option<ShownRun>,
    between_glances: Duration,
    glanced: Option<Instant>,
}

/// A run with events.
#[derive(Debug)]
pub(crate) struct ShownRun {
    pub(crate) id: String,
    pub(crate) history: History,
    pub(crate) state: RunState,
    follow: Follow,
}

/// Whether anything changed since the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    Some,
}

impl Subject {
    pub(crate) fn new(layout: Layout, which: RunSelection, between_glances: Duration) -> Self {
        Self { layout, which, shown: None, between_glances, glanced: None }
    }

    pub(crate) fn shown(&self) -> Option<&ShownRun> {
        self.shown.as_ref()
    }

    pub(crate) fn which(&self) -> &RunSelection {
        &self.which
    }

    /// A log that cannot be read counts as unchanged.
    pub(crate) fn look(&mut self) -> Change {
        let is_time = self.glanced.is_none_or(|at| at.elapsed() >= self.between_glances);
        let mut change = Change::None;
        if is_time {
            self.glanced = Some(Instant::now());
            change = change.or(self.select_run().unwrap_or(Change::None));
        }
        let Some(shown) = &mut self.shown else { return change };
        change = change.or(shown.read());
        if is_time || change == Change::Some {
            change = change.or(shown.update_state(&self.layout));
        }
        change
    }

    fn select_run(&mut self) -> io::Result<Change> {
        let id = match &self.which {
            RunSelection::Named(id) => Some(id.clone()),
            RunSelection::Newest => run_logs::latest(&self.layout)?,
        };
        let Some(id) = id.filter(|id| self.shown.as_ref().is_none_or(|shown| shown.id != *id))
        else {
            return Ok(Change::None);
        };
        let Some(follow) = Follow::open(&self.layout, &id)? else { return Ok(Change::None) };
        let history = History::default();
        self.shown = Some(ShownRun { id, history, state: RunState::Running, follow });
        Ok(Change::Some)
    }
}

impl ShownRun {
    pub(crate) fn unread_lines(&self) -> u64 {
        self.follow.unread().lines
    }

    pub(crate) fn log_check(&self) -> LogCheck {
        self.follow.check()
    }

    fn read(&mut self) -> Change {
        let history = &mut self.history;
        match self.follow.poll(|stamped| history.apply(&stamped)) {
            Ok(FollowUpdate::Some) => Change::Some,
            Ok(FollowUpdate::Replaced) => {
                self.history = History::default();
                self.read();
                Change::Some
            }
            Ok(FollowUpdate::Nothing) | Err(_) => Change::None,
        }
    }

    fn update_state(&mut self, layout: &Layout) -> Change {
        let view = &self.history.view;
        let pid = view.start.as_ref().map(|start| start.pid);
        let state = RunState::of(view.end.as_ref(), Liveness::of(layout, pid));
        let before = std::mem::replace(&mut self.state, state);
        if before == state { Change::None } else { Change::Some }
    }
}

impl Change {
    fn or(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }
}
