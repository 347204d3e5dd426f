//! Replays a recorded run at any speed: computes which events have happened.

use std::time::Duration;

use chrono::{DateTime, Utc};
use events::{LoopEvent, Stamped};

/// The longest gap between two events.
const LONGEST_GAP_MS: u64 = 3_000;

const SPEEDS: [f64; 11] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// The time of each event in milliseconds from the first, with shortened gaps.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventTimes {
    times: Vec<u64>,
    /// Indexes of the events that start an iteration.
    iterations: Vec<usize>,
    last: Option<DateTime<Utc>>,
}

impl EventTimes {
    pub(crate) fn push(&mut self, stamped: &Stamped) {
        let gap = self.last.map_or(0, |last| (stamped.at - last).num_milliseconds().max(0));
        let gap = gap.unsigned_abs().min(LONGEST_GAP_MS);
        self.last = Some(stamped.at);
        if matches!(stamped.event, LoopEvent::IterationStarted { .. }) {
            self.iterations.push(self.times.len());
        }
        self.times.push(self.length() + gap);
    }

    fn length(&self) -> u64 {
        self.times.last().copied().unwrap_or(0)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Replay {
    times: EventTimes,
    at_ms: f64,
    pub(crate) speed: f64,
    is_paused: bool,
}

impl Replay {
    /// `speed` is greater than 0.
    pub(crate) fn new(times: EventTimes, speed: f64) -> Self {
        Self { times, at_ms: 0.0, speed, is_paused: false }
    }

    /// Returns the number of events that have happened then.
    pub(crate) fn tick(&mut self, passed: Duration) -> usize {
        if !self.is_paused {
            self.go_to(self.at_ms + passed.as_secs_f64() * 1000.0 * self.speed);
        }
        self.times.times.partition_point(|&time| time as f64 <= self.at_ms)
    }

    pub(crate) fn is_going(&self) -> bool {
        !self.is_paused && !self.is_over()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.at_ms >= self.times.length() as f64
    }

    /// In per cent.
    pub(crate) fn per_cent(&self) -> u64 {
        (100.0 * self.at_ms / (self.times.length().max(1)) as f64) as u64
    }

    /// Pauses or continues; restarts at the end.
    pub(crate) fn toggle(&mut self) {
        if self.is_over() {
            (self.at_ms, self.is_paused) = (0.0, false);
        } else {
            self.is_paused = !self.is_paused;
        }
    }

    pub(crate) fn faster(&mut self) {
        self.speed = SPEEDS.into_iter().find(|&speed| speed > self.speed).unwrap_or(self.speed);
    }

    pub(crate) fn slower(&mut self) {
        let slower = SPEEDS.into_iter().rfind(|&speed| speed < self.speed);
        self.speed = slower.unwrap_or(self.speed);
    }

    pub(crate) fn next_iteration(&mut self) {
        let next = self.iteration_times().find(|&time| time > self.at_ms);
        self.go_to(next.unwrap_or(f64::INFINITY));
    }

    /// To the start of this iteration; from there, to the one before.
    pub(crate) fn previous_iteration(&mut self) {
        // Pressing twice goes back two iterations, although the replay continued in between.
        let before = self.at_ms - 1000.0 * self.speed.max(1.0);
        let began = self.iteration_times().filter(|&time| time < before).last();
        self.at_ms = began.unwrap_or(0.0);
    }

    fn iteration_times(&self) -> impl Iterator<Item = f64> {
        self.times.iterations.iter().map(|&event| self.times.times[event] as f64)
    }

    /// At most to the end.
    pub(crate) fn go_to(&mut self, at_ms: f64) {
        self.at_ms = at_ms.clamp(0.0, self.times.length() as f64);
    }
}

/// Accepts `10`, `x2.5` and `0.5x`.
pub fn read_speed(text: &str) -> Result<f64, String> {
    match text.trim_matches('x').parse::<f64>() {
        Ok(speed) if speed.is_finite() && speed > 0.0 => Ok(speed),
        _ => Err("expected a number above 0, such as 10 or 0.5".into()),
    }
}

#[cfg(test)]
mod tests {
    use events::samples::{a_long_run, a_run};

    use super::*;

    fn replay(events: &[Stamped], speed: f64) -> Replay {
        let mut times = EventTimes::default();
        events.iter().for_each(|stamped| times.push(stamped));
        Replay::new(times, speed)
    }

    #[test]
    fn events_come_by_their_times_and_long_gaps_are_shortened() {
        let events = a_run();
        let mut replay = replay(&events, 1.0);
        let at = |second: i64| {
            events
                .iter()
                .filter(|e| e.at <= events[0].at + chrono::TimeDelta::seconds(second))
                .count()
        };
        assert_eq!(replay.tick(Duration::ZERO), at(0));
        replay.tick(Duration::from_secs(2));
        assert_eq!(replay.tick(Duration::ZERO), at(2));
        replay.tick(Duration::from_secs(13));
        assert_eq!(replay.tick(Duration::ZERO), at(15));
        // The next event is minutes later.
        replay.tick(Duration::from_millis(2_900));
        assert_eq!(replay.tick(Duration::ZERO), at(15));
        replay.tick(Duration::from_millis(100));
        assert_eq!(replay.tick(Duration::ZERO), at(230));
        replay.tick(Duration::from_secs(1_000));
        assert!(
            replay.is_over()
                && replay.tick(Duration::ZERO) == events.len()
                && replay.per_cent() == 100
        );
    }

    #[test]
    fn it_plays_at_any_speed_and_pauses() {
        let events = a_run();
        let mut fast = replay(&events, 1e9);
        fast.tick(Duration::from_millis(1));
        assert_eq!(fast.tick(Duration::ZERO), events.len());
        fast.toggle();
        assert_eq!((fast.at_ms, fast.is_going()), (0.0, true));
        fast.toggle();
        fast.tick(Duration::from_secs(9));
        assert_eq!(fast.at_ms, 0.0);
        let mut slow = replay(&events, 0.25);
        slow.tick(Duration::from_secs(8));
        assert_eq!(slow.at_ms, 2000.0);
    }

    #[test]
    fn speeds_go_up_and_down_from_any_value() {
        let mut replay = replay(&a_run(), 7.0);
        replay.faster();
        assert_eq!(replay.speed, 10.0);
        replay.slower();
        replay.slower();
        assert_eq!(replay.speed, 2.0);
        (0..20).for_each(|_| replay.faster());
        assert_eq!(replay.speed, 1000.0);
        (0..20).for_each(|_| replay.slower());
        assert_eq!(replay.speed, 0.5);
    }

    #[test]
    fn iterations_are_stepped_in_both_directions() {
        let events = a_long_run(4);
        let mut replay = replay(&events, 1.0);
        let starts = replay.times.iterations.clone();
        for start in &starts {
            replay.next_iteration();
            assert_eq!(replay.tick(Duration::ZERO), start + 1);
        }
        replay.next_iteration();
        assert!(replay.is_over());
        for start in starts.iter().rev() {
            replay.previous_iteration();
            assert_eq!(replay.tick(Duration::ZERO), start + 1);
        }
        replay.previous_iteration();
        assert_eq!(replay.at_ms, 0.0);
        replay.go_to(f64::INFINITY);
        assert!(replay.is_over());
        replay.go_to(0.0);
        assert_eq!(replay.tick(Duration::ZERO), 1);
    }

    #[test]
    fn speeds_are_parsed() {
        assert_eq!(
            [read_speed("10"), read_speed("x2.5"), read_speed("0.5x")],
            [Ok(10.0), Ok(2.5), Ok(0.5)]
        );
        for wrong in ["0", "-1", "NaN", "inf", "fast", ""] {
            assert!(read_speed(wrong).is_err(), "{wrong}");
        }
    }
}
