//! A child that is gone: how it came to that, and what it left behind.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub how: How,
    /// Nothing if the child was never started, or if nobody could tell.
    pub exit: Option<Exit>,
    pub leftovers: Leftovers,
    pub elapsed: Duration,
}

impl Ended {
    /// Of a child that never was.
    pub fn not_started() -> Self {
        let (leftovers, elapsed) = (Leftovers::default(), Duration::ZERO);
        Self { how: How::ByItself, exit: None, leftovers, elapsed }
    }
}

/// Why it ended. A child that ended before the request to end reached it ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    ByItself,
    WallLimit,
    IdleLimit,
    /// Its answer was complete, and it would not exit.
    Lingered,
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// Processes of a child's tree that outlived it or had to be killed with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// They are gone. The first of them, if there were many.
    pub ended: Vec<Leftover>,
    /// They could not be ended and may go on working.
    pub alive: Vec<Leftover>,
}

/// A process. Where the system does not distinguish the processes of a group, the group stands for all of
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    pub pid: u32,
    pub name: String,
}

/// Some processes cannot be killed: they wait for a disk or belong to another user. On a machine that is
/// very busy the others take their time as well.
#[cfg(unix)]
pub(crate) const LONGEST_KILLING: Duration = Duration::from_secs(12);

/// There may be any number of them.
#[cfg(unix)]
const MOST_NAMED: usize = 50;

#[cfg(unix)]
impl Leftovers {
    /// Notes that these were ended, each once.
    pub(crate) fn name(&mut self, found: impl IntoIterator<Item = Leftover>) {
        for found in found {
            let is_known = self.ended.iter().any(|known| known.pid == found.pid);
            if !is_known && self.ended.len() < MOST_NAMED {
                self.ended.push(found);
            }
        }
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}
