//! What the clock of the machine shows.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// `Utc::now` panics where the clock stands before 1970.
pub fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
