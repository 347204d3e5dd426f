//! Whether a run is alive: its log does not show whether the runner was killed before it wrote an end.

use project::{Layout, RunLock};
use serde::Serialize;

/// The lock file contains a process id.
const LONGEST_LOCK: u64 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    Running,
    Ended,
    /// It has ended without recording a result.
    Died,
}

/// Whether the run that process `pid` executed last holds the project's lock. Another run may hold it now.
pub fn run_is_alive(layout: &Layout, pid: Option<u32>) -> bool {
    if !RunLock::is_held(layout) {
        return false;
    }
    let text = bounded_read::read_file(&layout.lock(), LONGEST_LOCK).ok();
    let holder = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse::<u32>().ok());
    holder.is_none() || pid.is_none() || holder == pid
}

impl RunState {
    pub fn of<End>(end: Option<&End>, is_alive: bool) -> Self {
        match end {
            Some(_) => Self::Ended,
            None if is_alive => Self::Running,
            None => Self::Died,
        }
    }
}
