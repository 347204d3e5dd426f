//! Tells events to whoever observes the run, with run and time.

use std::io;

use project::orders::Order;

use crate::log_mark::LogMark;
use crate::{LogHead, LoopEvent, RunError, Stamped};

/// Hears everything. An error means that the record of the run is not complete any more.
pub trait Observer {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()>;

    /// Called before the first event of a run that goes on: the end of its log when its state was saved
    /// last.
    fn goes_on_after(&mut self, _saved: LogHead) {}

    /// The end of the log that it writes; `None` if it writes none.
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
    /// The first thing that could not be told.
    failure: Option<io::Error>,
}

impl<'a> EventSink<'a> {
    pub(crate) fn new(run_id: String, observer: &'a mut dyn Observer) -> Self {
        Self { run_id, observer, log_mark: LogMark::default(), failure: None }
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Keeps `mark` at the end of the log. Where it is now, the log of a run that goes on has to have it.
    pub(crate) fn marking(mut self, mark: &LogMark) -> Self {
        if let Some(saved) = mark.get() {
            self.observer.goes_on_after(saved);
        }
        self.log_mark = mark.clone();
        self
    }

    /// Never stops what is going on: a session of the agent is not cut off because a disk is full.
    /// See `check`.
    pub(crate) fn emit(&mut self, event: LoopEvent) {
        let told = self.observer.event(&Stamped::now(&self.run_id, event));
        self.log_mark.set(self.observer.log_head());
        if let Err(error) = told {
            self.failure.get_or_insert(error);
        }
    }

    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.emit(LoopEvent::Warning { text: text.into() });
    }

    pub(crate) fn found(&mut self, text: impl Into<String>) {
        self.emit(LoopEvent::LeftoverFound { text: text.into() });
    }

    pub(crate) fn refuse(&mut self, order: Order, why: impl Into<String>) {
        self.emit(LoopEvent::OrderRefused { order, why: why.into() });
    }

    /// Fails once something could not be told.
    pub(crate) fn check(&mut self) -> Result<(), RunError> {
        match self.failure.take() {
            Some(error) => Err(RunError::Observer(error)),
            None => Ok(()),
        }
    }
}
