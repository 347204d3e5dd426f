//! Time limits, retry limits and attempt limits.

use std::time::Duration;

/// How often a failed agent is retried, and the wait in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    pub most: u64,
    /// Doubled with each retry.
    pub first_wait: Duration,
    pub longest_wait: Duration,
}

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

    /// The hard limit, capped by that of the run.
    pub(crate) fn hard_within(self, run: Self) -> Option<Duration> {
        [self.hard, run.hard].into_iter().flatten().min()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Failed attempts per story.
    pub most: u64,
    /// After how often the same failure in a row a story counts as stuck.
    pub stuck_after: u64,
    pub strategy_shifts: u64,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self { most: 5, stuck_after: 3, strategy_shifts: 2 }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            most: 3,
            first_wait: Duration::from_secs(5),
            longest_wait: Duration::from_secs(5 * 60),
        }
    }
}

impl Retries {
    /// The wait before retry `number`, counted from 1.
    pub fn wait(&self, number: u64) -> Duration {
        let doublings = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
        self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait)
    }
}

impl TimeLimits {
    /// The default for a task list.
    pub const RUN: TimeLimit = TimeLimit::minutes(45, 60);
    pub const IMPLEMENT: TimeLimit = TimeLimit::minutes(12, 20);
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            run: Self::RUN,
            implement: Self::IMPLEMENT,
            review: TimeLimit::minutes(3, 5),
            check: TimeLimit::minutes(5, 10),
            quality: TimeLimit::minutes(2, 3),
            memory: TimeLimit::minutes(4, 6),
            // Longer than Claude Code lets one command of its Bash tool run.
            idle: Some(Duration::from_secs(15 * 60)),
            grace: Duration::from_secs(5),
            linger: Duration::from_secs(30),
        }
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

    #[test]
    fn waits_double_up_to_the_longest() {
        let retries = Retries::default();
        let waits: Vec<u64> = [1, 2, 3, 7, 100].map(|number| retries.wait(number).as_secs()).into();
        assert_eq!(waits, [5, 10, 20, 300, 300]);
    }
}
