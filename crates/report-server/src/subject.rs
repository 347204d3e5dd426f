//! The run that is shown: which one it is, all that its log says so far, and whether it goes on.

use std::io;
use std::time::{Duration, Instant};

use events::{Follow, History, Liveness, LogCheck, Look, RunState, run_logs};
use project::Layout;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// Of the project: the one that spoke last; when another one begins or goes on, that.
    Newest,
    /// By its id.
    Named(String),
}

#[derive(Debug)]
pub(crate) struct Subject {
    layout: Layout,
    which: Which,
    shown: Option<Shown>,
    between_glances: Duration,
    glanced: Option<Instant>,
}

/// A run that said something.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) history: History,
    pub(crate) state: RunState,
    follow: Follow,
}

/// Whether there is more to see than at the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    Some,
}

impl Subject {
    pub(crate) fn new(layout: Layout, which: Which, between_glances: Duration) -> Self {
        Self { layout, which, shown: None, between_glances, glanced: None }
    }

    pub(crate) fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    pub(crate) fn which(&self) -> &Which {
        &self.which
    }

    /// A log that cannot be read just now is as good as one that says nothing new.
    pub(crate) fn look(&mut self) -> Change {
        let is_time = self.glanced.is_none_or(|at| at.elapsed() >= self.between_glances);
        let mut change = Change::None;
        if is_time {
            self.glanced = Some(Instant::now());
            change = change.or(self.turn_to_the_one_that_is_meant().unwrap_or(Change::None));
        }
        let Some(shown) = &mut self.shown else { return change };
        change = change.or(shown.read());
        if is_time || change == Change::Some {
            change = change.or(shown.see_whether_it_goes_on(&self.layout));
        }
        change
    }

    fn turn_to_the_one_that_is_meant(&mut self) -> io::Result<Change> {
        let id = match &self.which {
            Which::Named(id) => Some(id.clone()),
            Which::Newest => run_logs::latest(&self.layout)?,
        };
        let Some(id) = id.filter(|id| self.shown.as_ref().is_none_or(|shown| shown.id != *id))
        else {
            return Ok(Change::None);
        };
        let Some(follow) = Follow::open(&self.layout, &id)? else { return Ok(Change::None) };
        let history = History::default();
        self.shown = Some(Shown { id, history, state: RunState::Running, follow });
        Ok(Change::Some)
    }
}

impl Shown {
    pub(crate) fn unread_lines(&self) -> u64 {
        self.follow.unread().lines
    }

    pub(crate) fn log_check(&self) -> LogCheck {
        self.follow.check()
    }

    fn read(&mut self) -> Change {
        let history = &mut self.history;
        match self.follow.look(|stamped| history.apply(&stamped)) {
            Ok(Look::Some) => Change::Some,
            Ok(Look::Anew) => {
                self.history = History::default();
                self.read();
                Change::Some
            }
            Ok(Look::Nothing) | Err(_) => Change::None,
        }
    }

    fn see_whether_it_goes_on(&mut self, layout: &Layout) -> Change {
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
