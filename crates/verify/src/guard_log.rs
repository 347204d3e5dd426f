//! Texts in the Stop hook's log that show the runner that the hook ran.

/// The hook's name, which begins every line of its log.
pub const GUARD: &str = "stop-guard";

/// It allowed the stop, because the session will be woken again.
pub const WAITS_FOR_BACKGROUND: &str = "background tasks still run";
