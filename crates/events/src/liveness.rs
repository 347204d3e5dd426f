//! Whether a run is alive: its log does not show whether the runner was killed before it wrote an end.

use project::{Layout, RunLock};
use serde::Serialize;

/// The lock file contains a process id.
const LONGEST_LOCK: u64 = 64;

/// Whether a process holds the project's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    Alive,
    NotAlive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    Running,
    Ended,
    /// It has ended without recording a result.
    Died,
}

impl Liveness {
    /// Of the run that process `pid` executed last. Another run may hold the lock now.
    pub fn of(layout: &Layout, pid: Option<u32>) -> Self {
        if !RunLock::is_held(layout) {
            return Self::NotAlive;
        }
        let text = bounded_read::read_file(&layout.lock(), LONGEST_LOCK).ok();
        let holder = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse::<u32>().ok());
        match (holder, pid) {
            (Some(holder), Some(pid)) if holder != pid => Self::NotAlive,
            _ => Self::Alive,
        }
    }
}

impl RunState {
    pub fn of<End>(end: Option<&End>, liveness: Liveness) -> Self {
        match (end, liveness) {
            (Some(_), _) => Self::Ended,
            (None, Liveness::Alive) => Self::Running,
            (None, Liveness::NotAlive) => Self::Died,
        }
    }
}
