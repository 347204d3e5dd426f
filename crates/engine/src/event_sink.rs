//! Sends events to the observer of the run, stamped with run and time.

use std::io;

use events::{LogHead, LoopEvent, Stamped};
use project::orders::Order;

use crate::RunError;
use crate::log_mark::LogMark;

/// Receives every event. An error means that the record of the run is incomplete.
pub trait Observer {
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

pub(crate) struct EventSink<'a> {
    run_id: String,
    observer: &'a mut dyn Observer,
    log_mark: LogMark,
    /// The first event that could not be recorded.
    failure: Option<io::Error>,
}

impl<'a> EventSink<'a> {
    pub(crate) fn new(run_id: String, observer: &'a mut dyn Observer) -> Self {
        Self { run_id, observer, log_mark: LogMark::default(), failure: None }
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Keeps `mark` at the end of the log. A resumed run's log must contain the current mark.
    pub(crate) fn marking(mut self, mark: &LogMark) -> Self {
        if let Some(saved) = mark.get() {
            self.observer.resumes_after(saved);
        }
        self.log_mark = mark.clone();
        self
    }

    /// Never fails, because a full disk must not cut off an agent's session; see `check`.
    pub(crate) fn emit(&mut self, event: LoopEvent) {
        let recorded = self.observer.event(&Stamped::now(&self.run_id, event));
        self.log_mark.set(self.observer.log_head());
        if let Err(error) = recorded {
            self.failure.get_or_insert(error);
        }
    }

    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.emit(LoopEvent::Warning { text: text.into() });
    }

    pub(crate) fn leftover_found(&mut self, text: impl Into<String>) {
        self.emit(LoopEvent::LeftoverFound { text: text.into() });
    }

    pub(crate) fn refuse(&mut self, order: Order, why: impl Into<String>) {
        self.emit(LoopEvent::OrderRefused { order, why: why.into() });
    }

    /// Fails if an event could not be recorded.
    pub(crate) fn check(&mut self) -> Result<(), RunError> {
        match self.failure.take() {
            Some(error) => Err(RunError::Observer(error)),
            None => Ok(()),
        }
    }
}
