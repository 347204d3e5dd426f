//! Rate limit: at most one notice a minute of each kind. Notices that are not sent are counted.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::NoticeKind;

const INTERVAL: TimeDelta = TimeDelta::seconds(60);

#[derive(Debug, Clone, Default)]
pub(crate) struct RateLimit(BTreeMap<NoticeKind, Last>);

#[derive(Debug, Clone, Copy)]
struct Last {
    at: DateTime<Utc>,
    held_back: u64,
}

impl RateLimit {
    /// The number of notices held back since the last one, if this one may be sent. The end of a run
    /// always is.
    pub(crate) fn admit(
        &mut self,
        kind: NoticeKind,
        run_ended: bool,
        at: DateTime<Utc>,
    ) -> Option<u64> {
        let too_soon = !self.is_due(kind, at);
        let last =
            self.0.entry(kind).or_insert(Last { at: DateTime::<Utc>::MIN_UTC, held_back: 0 });
        if too_soon && !run_ended {
            last.held_back += 1;
            return None;
        }
        Some(std::mem::replace(last, Last { at, held_back: 0 }).held_back)
    }

    /// Whether the last notice of the kind is a minute old, or the clock was set back.
    pub(crate) fn is_due(&self, kind: NoticeKind, at: DateTime<Utc>) -> bool {
        let since = self.0.get(&kind).map(|last| at.signed_duration_since(last.at));
        since.is_none_or(|since| since < TimeDelta::zero() || since >= INTERVAL)
    }
}

#[cfg(test)]
mod tests {
    use events::samples::at;

    use super::*;

    const RUNNING: bool = false;
    const ENDED: bool = true;

    #[test]
    fn one_a_minute_of_each_kind_and_the_next_one_counts_what_was_held_back() {
        let mut rate_limit = RateLimit::default();
        let mut admit = |kind, seconds| rate_limit.admit(kind, RUNNING, at(seconds));
        assert_eq!(admit(NoticeKind::Stuck, 0), Some(0));
        assert_eq!(admit(NoticeKind::StoryFailed, 0), Some(0), "another kind");
        assert_eq!(
            (
                admit(NoticeKind::Stuck, 1),
                admit(NoticeKind::Stuck, 30),
                admit(NoticeKind::Stuck, 59)
            ),
            (None, None, None)
        );
        assert_eq!(admit(NoticeKind::Stuck, 60), Some(3));
        assert_eq!(admit(NoticeKind::Stuck, 61), None, "counted from the last one that was sent");
        assert_eq!(admit(NoticeKind::Stuck, 120), Some(1));
        assert_eq!(admit(NoticeKind::StoryFailed, 61), Some(0));
    }

    #[test]
    fn the_end_of_a_run_is_never_held_back() {
        let mut rate_limit = RateLimit::default();
        assert_eq!(rate_limit.admit(NoticeKind::LimitReached, RUNNING, at(0)), Some(0));
        assert_eq!(rate_limit.admit(NoticeKind::LimitReached, RUNNING, at(1)), None);
        assert_eq!(rate_limit.admit(NoticeKind::LimitReached, ENDED, at(2)), Some(1));
    }

    #[test]
    fn a_clock_that_was_set_back_delays_no_notice() {
        let mut rate_limit = RateLimit::default();
        assert_eq!(rate_limit.admit(NoticeKind::Stuck, RUNNING, at(7200)), Some(0));
        assert_eq!(rate_limit.admit(NoticeKind::Stuck, RUNNING, at(0)), Some(0));
    }
}
