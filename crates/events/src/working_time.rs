//! The working time of a run, without waits, pauses and the time between two starts.

use crate::LoopEvent;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkingTime {
    /// In starts before the last one.
    before: f64,
    start: Option<Start>,
}

#[derive(Debug, Clone, PartialEq)]
struct Start {
    at: DateTime<Utc>,
    last_event: DateTime<Utc>,
    /// Seconds of finished waits and pauses.
    idle: f64,
    idle_since: Option<DateTime<Utc>>,
    /// Measured by the process, whose clock stops while the machine sleeps.
    took: Option<f64>,
}

impl WorkingTime {
    pub fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        if let LoopEvent::RunStarted { resumed, .. } = event {
            // The runner's own figure, because the log may contain only this start.
            let recorded = resumed.as_ref().and_then(|resumed| resumed.seconds);
            self.before = recorded.unwrap_or_else(|| self.seconds()).max(0.0);
            self.start =
                Some(Start { at, last_event: at, idle: 0.0, idle_since: None, took: None });
        }
        let Some(start) = &mut self.start else { return };
        start.last_event = at;
        match event {
            LoopEvent::Waiting { .. } | LoopEvent::Paused => {
                start.idle_since.get_or_insert(at);
            }
            LoopEvent::Resumed
            | LoopEvent::IterationStarted { .. }
            | LoopEvent::CompactionStarted { .. }
            | LoopEvent::QualityStarted { .. }
            | LoopEvent::StopRequested { .. }
            | LoopEvent::RunEnded { .. } => start.wakes(at),
            _ => {}
        }
        if let LoopEvent::RunEnded(ended) = event {
            start.took = Some(ended.seconds);
        }
    }

    /// Until the last event.
    pub fn seconds(&self) -> f64 {
        self.before + self.start.as_ref().map_or(0.0, |start| start.seconds(start.last_event))
    }

    /// The same if the run still works at `now`; at least until its last event.
    pub fn seconds_at(&self, now: DateTime<Utc>) -> f64 {
        let so_far = |start: &Start| start.seconds(now.max(start.last_event));
        self.before + self.start.as_ref().map_or(0.0, so_far)
    }

    /// With one more event.
    pub fn after(&self, at: DateTime<Utc>, event: &LoopEvent) -> Self {
        let mut worked = self.clone();
        worked.apply(at, event);
        worked
    }

    /// Whether it waits or is paused.
    pub fn is_idle(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.idle_since.is_some())
    }
}

impl Start {
    fn wakes(&mut self, at: DateTime<Utc>) {
        self.idle += self.idle_since.take().map_or(0.0, |since| seconds(since, at));
    }

    fn seconds(&self, until: DateTime<Utc>) -> f64 {
        let until = if self.took.is_some() { self.last_event } else { until };
        let idle = self.idle + self.idle_since.map_or(0.0, |since| seconds(since, until));
        let awake = (seconds(self.at, until) - idle).max(0.0);
        match self.took {
            Some(took) if idle > 0.0 => took.clamp(0.0, awake),
            Some(took) => took.max(0.0),
            None => awake,
        }
    }
}

/// Not negative, because clocks are adjusted.
pub fn seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    (to - from).num_milliseconds().max(0) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use crate::{RunEnd, WaitReason};
    use tasks::Mode;

    use super::*;
    use crate::samples::*;

    const HOURS: i64 = 6 * 3600;

    fn worked(events: impl IntoIterator<Item = (i64, LoopEvent)>) -> WorkingTime {
        let mut worked = WorkingTime::default();
        events.into_iter().for_each(|(after, event)| worked.apply(at(after), &event));
        worked
    }

    fn started() -> LoopEvent {
        a_run().swap_remove(0).event
    }

    fn ended(took: f64) -> LoopEvent {
        let mut event = run_ended(RunEnd::IterationsUsed);
        if let LoopEvent::RunEnded(crate::RunEnded { seconds, .. }) = &mut event {
            *seconds = took;
        }
        event
    }

    #[test]
    fn pauses_and_waits_do_not_count_however_the_run_ends() {
        let until = at(HOURS);
        let rest = LoopEvent::Waiting(crate::WaitView {
            reason: WaitReason::UsageLimit,
            text: String::new(),
            until,
        });
        let goes_on = iteration_started(1, 1, Mode::Implement);
        for (sleeps, wakes) in [(LoopEvent::Paused, LoopEvent::Resumed), (rest, goes_on)] {
            let run =
                [(0, started()), (100, sleeps), (100 + HOURS, wakes), (200 + HOURS, ended(0.0))];
            assert_eq!(worked(run[..2].to_vec()).seconds(), 100.0);
            assert!(worked(run[..2].to_vec()).is_idle());
            let killed = [&run[..3], &[(200 + HOURS, LoopEvent::HookMissing { why: "x".into() })]];
            assert_eq!(worked(killed.concat()).seconds(), 200.0);
            let whole = [&run[..3], &[(200 + HOURS, ended(200.0 + HOURS as f64))]].concat();
            assert_eq!(worked(whole).seconds(), 200.0);
        }
    }

    #[test]
    fn a_pause_without_end_does_not_count_either() {
        let text = "a warning".to_owned();
        let run = [(0, started()), (100, LoopEvent::Paused), (HOURS, LoopEvent::Warning { text })];
        assert_eq!(worked(run).seconds(), 100.0);
    }

    #[test]
    fn the_last_start_alone_contains_the_earlier_working_time() {
        let mut again = started();
        if let LoopEvent::RunStarted { resumed: Some(resumed), .. } = &mut again {
            resumed.seconds = Some(50.5);
        }
        let last = [(HOURS, again), (HOURS + 7, ended(7.0))];
        let whole = [&[(0, started()), (60, ended(50.0))], &last[..]].concat();
        assert_eq!((worked(whole).seconds(), worked(last).seconds()), (57.5, 57.5));
    }

    #[test]
    fn the_clock_of_a_run_continues_until_it_waits_or_ends() {
        let run = [(0, started()), (100, LoopEvent::Paused), (160, LoopEvent::Resumed)];
        let after = |events: usize, now| worked(run[..events].to_vec()).seconds_at(at(now));
        assert_eq!((after(1, 70), after(2, 150), after(3, 170)), (70.0, 100.0, 110.0));
        assert_eq!(after(3, 0), 100.0, "clocks are adjusted");
        let ended = worked(run).after(at(200), &ended(200.0));
        assert_eq!((ended.seconds(), ended.seconds_at(at(HOURS))), (140.0, 140.0));
    }

    #[test]
    fn the_night_between_two_starts_does_not_count() {
        let run =
            [(0, started()), (60, ended(50.0)), (HOURS, started()), (HOURS + 7, LoopEvent::Paused)];
        assert_eq!(worked(run).seconds(), 57.0);
    }
}
