//! Limits of connections, time and rendering.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// Open connections. At the limit, the oldest unauthenticated one is closed.
    pub connections: usize,
    /// Pages that receive live updates.
    pub watchers: usize,
    /// Time for the head of a request, and again for its body.
    pub request: Duration,
    /// Longest time without progress in writing a response.
    pub stall: Duration,
    /// Minimum time between two updates; see `rate_limit`.
    pub update_interval: Duration,
    /// Interval of reading the run's log.
    pub log_interval: Duration,
    /// Interval of checking for a newer run and for the end of the process, which need more disk access.
    pub process_interval: Duration,
    /// Interval of heartbeats without updates.
    pub heartbeat: Duration,
    /// Time for watching pages to receive the end of the run.
    pub final_update: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 512,
            watchers: 64,
            request: Duration::from_secs(5),
            stall: Duration::from_secs(30),
            update_interval: Duration::from_millis(500),
            log_interval: Duration::from_millis(250),
            process_interval: Duration::from_secs(1),
            heartbeat: Duration::from_secs(15),
            final_update: Duration::from_secs(5),
        }
    }
}
