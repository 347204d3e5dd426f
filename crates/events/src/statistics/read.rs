//! Takes statistics from the logs of a project.

use std::io;

use project::Layout;

use super::{Period, Statistics};
use crate::run_logs::{self, LONGEST_LOG};
use crate::{LogState, RunView};

/// Older runs say little about the next one.
const NEWEST: usize = 10;

/// The start of a run does not wait for more.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

impl Statistics {
    /// Of all runs. A log that cannot be read is counted.
    pub fn of_project(layout: &Layout, period: &Period) -> io::Result<Self> {
        let mut all = Self::default();
        for id in run_logs::ids(layout)? {
            // Most of a long history is not read.
            let is_before =
                |since| run_logs::last_event_time(layout, &id).is_some_and(|at| at < since);
            if !period.since.is_some_and(is_before) {
                all.add_log(layout, &id, LONGEST_LOG, period);
            }
        }
        Ok(all)
    }

    /// Of the newest runs, for an estimate.
    pub fn of_newest_runs(layout: &Layout) -> Self {
        Self::of_newest_bytes(layout, MOST_BYTES)
    }

    pub(super) fn of_newest_bytes(layout: &Layout, mut left: u64) -> Self {
        let mut newest = Self::default();
        for id in run_logs::ids(layout).unwrap_or_default().iter().take(NEWEST) {
            left = left.saturating_sub(newest.add_log(layout, id, left, &Period::default()));
        }
        newest
    }

    /// Adds the first `most` bytes of a log and returns how many they were.
    fn add_log(&mut self, layout: &Layout, id: &str, most: u64, period: &Period) -> u64 {
        self.logs.found += 1;
        let mut view = RunView::default();
        let read = run_logs::read_first(most, layout, id, |stamped| {
            // The copy of a log does not count again.
            if stamped.run == id {
                view.apply(&stamped);
            }
        });
        let Ok(Some(read)) = read else {
            self.logs.unread += 1;
            return 0;
        };
        if view.start.is_none() {
            self.logs.unread += 1;
            return read.bytes;
        }
        self.logs.incomplete += u64::from(read.unread.lines > 0);
        self.logs.altered += u64::from(read.check.state == LogState::Altered);
        self.add(&view, period);
        read.bytes
    }
}
