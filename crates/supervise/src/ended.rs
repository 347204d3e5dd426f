//! A child that is gone: how it came to that, and what it left behind.

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub how: How,
    /// Nothing if the child was never started, or if nobody could tell.
    pub exit: Option<Exit>,
    /// Processes of its tree that outlived it or had to be killed with it.
    pub leftovers: Vec<Leftover>,
    pub elapsed: Duration,
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

/// A process that was ended because its child was gone. Where the system does not tell one process
/// of a group from another, the group stands for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    pub pid: u32,
    pub name: String,
}
