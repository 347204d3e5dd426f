//! How much of this server one client can have, and for how long.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// At once. Over it, whoever has shown no token for the longest makes room.
    pub connections: usize,
    /// Pages that are kept up to date at once.
    pub watchers: usize,
    /// From the connection to the end of a request's headers, and again for its body.
    pub request: Duration,
    /// How long nothing of an answer may get through.
    pub stall: Duration,
    /// The least time between two pictures. What was dear to paint or is long to tell rests longer.
    pub between_pictures: Duration,
    /// How often the run's log is looked at.
    pub look: Duration,
    /// How often a newer run and the end of a process are looked for: both ask the disk for more.
    pub glance: Duration,
    /// How often a page that hears nothing hears at least that the server is there.
    pub heartbeat: Duration,
    /// How long those that watch may take to hear that the run ended.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            watchers: 64,
            request: Duration::from_secs(5),
            stall: Duration::from_secs(30),
            between_pictures: Duration::from_millis(500),
            look: Duration::from_millis(250),
            glance: Duration::from_secs(1),
            heartbeat: Duration::from_secs(15),
            farewell: Duration::from_secs(5),
        }
    }
}
