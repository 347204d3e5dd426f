//! The time that statistics are about, in days of a time zone.

use chrono::{DateTime, FixedOffset, Offset, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// `None`: all of it.
    pub since: Option<DateTime<Utc>>,
    pub offset: FixedOffset,
}

impl Default for Period {
    fn default() -> Self {
        Self { since: None, offset: Utc.fix() }
    }
}

impl Period {
    pub(super) fn includes(&self, at: DateTime<Utc>) -> bool {
        self.since.is_none_or(|since| since <= at)
    }

    /// `2026-11-18`. Text, because `chrono`'s local date does not cover the whole range of a `DateTime`.
    pub(super) fn day(&self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.offset).format("%F").to_string()
    }
}
