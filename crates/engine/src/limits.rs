//! Time limits.

use std::time::Duration;

use events::{LoopEvent, TimedTask};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// The working time of a run; waiting does not count.
    pub run: TimeLimit,
    /// One session that implements or fixes, or of a prompt loop.
    pub implement: TimeLimit,
    /// One review session.
    pub review: TimeLimit,
    /// One guardrail; it may have its own hard limit.
    pub check: TimeLimit,
    /// One quality review.
    pub quality: TimeLimit,
    /// One session that compacts handoffs.
    pub memory: TimeLimit,
    /// The longest time without output of the agent.
    pub idle: Option<Duration>,
    /// From a polite signal to a kill.
    pub grace: Duration,
    /// From the agent's result to a kill, if its process does not end.
    pub linger: Duration,
}

/// A warning after the soft limit, the end after the hard limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeLimit {
    pub soft: Option<Duration>,
    pub hard: Option<Duration>,
}

impl TimeLimit {
    pub const fn minutes(soft: u64, hard: u64) -> Self {
        Self {
            soft: Some(Duration::from_secs(soft * 60)),
            hard: Some(Duration::from_secs(hard * 60)),
        }
    }

    /// The event that reports the end of the soft limit.
    pub(crate) fn warning(self, what: TimedTask) -> LoopEvent {
        LoopEvent::TimeWarning {
            what,
            soft_seconds: self.soft.unwrap_or_default().as_secs_f64(),
            hard_seconds: self.hard.map(|hard| hard.as_secs_f64()),
        }
    }

    /// The hard limit, capped by that of the run.
    pub(crate) fn hard_within(self, run: Self) -> Option<Duration> {
        [self.hard, run.hard].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_end_counts_and_no_limit_is_none() {
        let (own, none) = (TimeLimit::minutes(1, 2), TimeLimit::default());
        let minutes = |count: u64| Some(Duration::from_secs(count * 60));
        assert_eq!(own.hard_within(TimeLimit::minutes(0, 1)), minutes(1));
        assert_eq!(own.hard_within(none), minutes(2));
        assert_eq!(none.hard_within(none), None);
    }
}
