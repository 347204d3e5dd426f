//! Whether a run still goes on: its log cannot say, if nobody was left to write its end.

use project::{Layout, RunLock};
use serde::Serialize;

/// More than a number of a process is not in there.
const LONGEST_LOCK: u64 = 64;

/// Whether somebody holds the project's lock.
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
    /// It is not there any more and did not say how it ended.
    Died,
}

impl Liveness {
    /// Of the run that process `pid` ran last. The lock says whose it is: another run may hold it now.
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
    /// Of a run that ended or did not, as its events say.
    pub fn of<End>(end: Option<&End>, liveness: Liveness) -> Self {
        match (end, liveness) {
            (Some(_), _) => Self::Ended,
            (None, Liveness::Alive) => Self::Running,
            (None, Liveness::NotAlive) => Self::Died,
        }
    }
}
