//! The current time.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// `Utc::now` panics if the clock is set before 1970.
pub fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
