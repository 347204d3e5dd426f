//! The end of a run's log, kept in its state: updated with every event, saved with the state.
//!
//! Shared between the sink, which updates it, and the state, which is saved in many places, so that no save is
//! out of date.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use events::LogHead;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct LogMark(Arc<Mutex<Option<LogHead>>>);

impl LogMark {
    pub(crate) fn get(&self) -> Option<LogHead> {
        *self.head()
    }

    /// `None`, from an observer that writes no log, changes nothing.
    pub(crate) fn set(&self, head: Option<LogHead>) {
        if head.is_some() {
            *self.head() = head;
        }
    }

    fn head(&self) -> MutexGuard<'_, Option<LogHead>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for LogMark {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}
