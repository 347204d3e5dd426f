//! Sends events to the observer of the run, stamped with run and time.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use events::{LogHead, LoopEvent, Stamped};
use project::orders::Order;

use crate::RunError;
use crate::log_mark::LogMark;

/// Receives every event. An error means that the record of the run is incomplete.
pub trait Observer: Send {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()>;

    /// Called before the first event of a resumed run, with the end of its log when its state was last saved.
    fn resumes_after(&mut self, _saved: LogHead) {}

    /// The end of the log that the observer writes, if it writes one.
    fn log_head(&self) -> Option<LogHead> {
        None
    }
}

/// For a dry run.
pub(crate) struct NoObserver;

impl Observer for NoObserver {
    fn event(&mut self, _stamped: &Stamped) -> io::Result<()> {
        Ok(())
    }
}

/// A handle on the observer; every part of a run that emits events has its own.
#[derive(Clone)]
pub(crate) struct EventSink<'a> {
    shared: Arc<Mutex<SharedSink<'a>>>,
    lane: Option<u64>,
}

struct SharedSink<'a> {
    run_id: String,
    observer: &'a mut dyn Observer,
    log_mark: LogMark,
    /// The first event that could not be recorded.
    failure: Option<io::Error>,
}

impl<'a> EventSink<'a> {
    pub(crate) fn new(run_id: String, observer: &'a mut dyn Observer) -> Self {
        let log_mark = LogMark::default();
        let shared = SharedSink { run_id, observer, log_mark, failure: None };
        Self { shared: Arc::new(Mutex::new(shared)), lane: None }
    }

    /// For events about this lane.
    pub(crate) fn of_lane(&self, lane: u64) -> Self {
        Self { lane: Some(lane), ..self.clone() }
    }

    /// A thread that panicked while it emitted an event must not silence the others.
    fn shared(&self) -> MutexGuard<'_, SharedSink<'a>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `mark` at the end of the log. A resumed run's log must contain the current mark.
    pub(crate) fn marking(self, mark: &LogMark) -> Self {
        let mut shared = self.shared();
        if let Some(saved) = mark.get() {
            shared.observer.resumes_after(saved);
        }
        shared.log_mark = mark.clone();
        drop(shared);
        self
    }

    /// Never fails, because a full disk must not cut off an agent's session; see `check`.
    pub(crate) fn emit(&self, event: LoopEvent) {
        let mut shared = self.shared();
        let stamped = Stamped { lane: self.lane, ..Stamped::now(&shared.run_id, event) };
        let recorded = shared.observer.event(&stamped);
        shared.log_mark.set(shared.observer.log_head());
        if let Err(error) = recorded {
            shared.failure.get_or_insert(error);
        }
    }

    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.emit(LoopEvent::Warning { text: text.into() });
    }

    pub(crate) fn leftover_found(&self, text: impl Into<String>) {
        self.emit(LoopEvent::LeftoverFound { text: text.into() });
    }

    pub(crate) fn refuse(&self, order: Order, why: impl Into<String>) {
        self.emit(LoopEvent::OrderRefused { order, why: why.into() });
    }

    /// Fails if an event could not be recorded.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        match self.shared().failure.take() {
            Some(error) => Err(RunError::Observer(error)),
            None => Ok(()),
        }
    }
}
