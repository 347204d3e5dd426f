//! The end of a run's log, kept in its state: updated with every event, saved with the state.
//!
//! Shared between the sink, which updates it, and the state, which is saved in many places, so that no save is
//! out of date.

use std::cell::Cell;
use std::rc::Rc;

use events::LogHead;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogMark(Rc<Cell<Option<LogHead>>>);

impl LogMark {
    pub(crate) fn get(&self) -> Option<LogHead> {
        self.0.get()
    }

    /// `None`, from an observer that writes no log, changes nothing.
    pub(crate) fn set(&self, head: Option<LogHead>) {
        if head.is_some() {
            self.0.set(head);
        }
    }
}
