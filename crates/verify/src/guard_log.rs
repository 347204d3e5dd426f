//! Words of the guard's log that the runner looks for: how it knows that the guard really ran.

/// The guard's name, with which every line of its log begins.
pub const GUARD: &str = "stop-guard";

/// It did not judge, because the session will be woken again.
pub const WAITS_FOR_BACKGROUND: &str = "background tasks still run";
