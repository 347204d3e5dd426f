//! Times in markers: whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `None` for times out of range.
pub(crate) fn from_seconds(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// `None` for times before 1970.
pub(crate) fn to_seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}
