//! How long a run has worked, and how much of its time limit is left. Waiting does not count: a run
//! that sleeps until a usage limit resets does no work.

use std::time::{Duration, Instant};

use crate::limits::TimeLimit;

#[derive(Debug, Clone)]
pub(crate) struct RunClock {
    pub(crate) limit: TimeLimit,
    /// Worked before the clock was last started.
    before: Duration,
    since: Option<Instant>,
    /// Whether the warning about the soft limit has been emitted.
    warned: bool,
}

impl RunClock {
    /// A paused clock. `before` is the time that earlier processes of the run worked.
    pub(crate) fn new(limit: TimeLimit, before: Duration) -> Self {
        let warned = limit.soft.is_some_and(|soft| before >= soft);
        Self { limit, before, since: None, warned }
    }

    pub(crate) fn start(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    pub(crate) fn pause(&mut self, now: Instant) {
        self.before = self.worked(now);
        self.since = None;
    }

    pub(crate) fn worked(&self, now: Instant) -> Duration {
        let running = self.since.map(|since| now.saturating_duration_since(since));
        self.before.saturating_add(running.unwrap_or_default())
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.limit.hard.is_some_and(|hard| self.worked(now) >= hard)
    }

    /// True once, when the soft limit has passed.
    pub(crate) fn take_warning(&mut self, now: Instant) -> bool {
        let due = !self.warned && self.limit.soft.is_some_and(|soft| self.worked(now) >= soft);
        self.warned |= due;
        due
    }

    /// The time left until the hard limit, and until the soft limit unless its warning was emitted.
    pub(crate) fn left(&self, now: Instant) -> TimeLimit {
        let left = |limit: Duration| limit.saturating_sub(self.worked(now));
        let soft = self.limit.soft.filter(|_| !self.warned);
        TimeLimit { soft: soft.map(left), hard: self.limit.hard.map(left) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    const LIMIT: TimeLimit = TimeLimit { soft: Some(seconds(45)), hard: Some(seconds(60)) };

    #[test]
    fn waits_do_not_count() {
        let start = Instant::now();
        let mut clock = RunClock::new(LIMIT, seconds(10));
        assert_eq!(clock.worked(start + seconds(99)), seconds(10));
        clock.start(start);
        clock.start(start + seconds(5));
        assert_eq!(clock.worked(start + seconds(20)), seconds(30));
        clock.pause(start + seconds(20));
        assert!(!clock.is_over(start + seconds(9999)));
        clock.start(start + seconds(1000));
        let left = clock.left(start + seconds(1010));
        assert_eq!(left, TimeLimit { soft: Some(seconds(5)), hard: Some(seconds(20)) });
        assert!(!clock.is_over(start + seconds(1029)));
        assert!(clock.is_over(start + seconds(1030)));
    }

    #[test]
    fn the_warning_is_given_once() {
        let start = Instant::now();
        let mut clock = RunClock::new(LIMIT, Duration::ZERO);
        clock.start(start);
        assert!(!clock.take_warning(start + seconds(44)));
        assert!(clock.take_warning(start + seconds(45)));
        assert!(!clock.take_warning(start + seconds(46)));
        assert_eq!(clock.left(start + seconds(46)).soft, None);
        // A resumed run that was warned is not warned again.
        assert!(!RunClock::new(LIMIT, seconds(50)).take_warning(start));
    }

    #[test]
    fn without_a_limit_it_is_never_over() {
        assert!(!RunClock::new(TimeLimit::default(), Duration::MAX).is_over(Instant::now()));
    }
}
