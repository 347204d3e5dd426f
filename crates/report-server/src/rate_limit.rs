//! Rate limit of rendering: the more a page costs to render or send, the less often it is updated.

use std::time::{Duration, Instant};

/// Rendering takes at most one eleventh of the time.
const PAUSE_PER_WORK: u32 = 10;

/// Average bytes per second that a page receives; the browser lays all of it out again.
const BYTES_PER_SECOND: f64 = 256.0 * 1024.0;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RateLimit {
    until: Option<Instant>,
}

impl RateLimit {
    pub(crate) fn is_over(self, now: Instant) -> bool {
        self.until.is_none_or(|until| now >= until)
    }

    /// After rendering for `work` and sending `bytes`.
    pub(crate) fn after(now: Instant, work: Duration, bytes: usize, least: Duration) -> Self {
        let sending = Duration::from_secs_f64(bytes as f64 / BYTES_PER_SECOND);
        let pause = least.max(work.saturating_mul(PAUSE_PER_WORK)).max(sending);
        Self { until: now.checked_add(pause) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_millis(500);

    fn rest(work: Duration, bytes: usize) -> Duration {
        let now = Instant::now();
        let limit = RateLimit::after(now, work, bytes, LEAST);
        let rest = limit.until.unwrap() - now;
        assert!(limit.is_over(now + rest) && !limit.is_over(now + rest - PIECE));
        rest
    }

    const PIECE: Duration = Duration::from_nanos(1);

    #[test]
    fn cheap_pages_are_updated_at_the_minimum_interval() {
        assert!(RateLimit::default().is_over(Instant::now()));
        assert_eq!(rest(Duration::from_millis(5), 20_000), LEAST);
    }

    #[test]
    fn expensive_or_large_pages_are_updated_less_often() {
        assert_eq!(rest(Duration::from_secs(1), 0), Duration::from_secs(10));
        assert_eq!(rest(Duration::ZERO, 4 * 1024 * 1024), Duration::from_secs(16));
    }
}
