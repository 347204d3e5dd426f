//! How long a run has worked: neither its rests and pauses nor the time between two starts count.

use chrono::{DateTime, Utc};
use engine::LoopEvent;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Worked {
    /// In starts before the last one.
    before: f64,
    start: Option<Start>,
}

#[derive(Debug, Clone, PartialEq)]
struct Start {
    at: DateTime<Utc>,
    last_event: DateTime<Utc>,
    /// Seconds of rests and pauses that are over.
    idle: f64,
    idle_since: Option<DateTime<Utc>>,
    /// By the clock of the process that ran it, which stands still while the machine sleeps.
    took: Option<f64>,
}

impl Worked {
    pub fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        if matches!(event, LoopEvent::RunStarted { .. }) {
            self.before = self.seconds();
            self.start =
                Some(Start { at, last_event: at, idle: 0.0, idle_since: None, took: None });
        }
        let Some(start) = &mut self.start else { return };
        start.last_event = at;
        match event {
            LoopEvent::Resting { .. } | LoopEvent::Paused => {
                start.idle_since.get_or_insert(at);
            }
            LoopEvent::WentOn
            | LoopEvent::IterationStarted { .. }
            | LoopEvent::CompactionStarted { .. }
            | LoopEvent::QualityStarted { .. }
            | LoopEvent::StopRequested { .. }
            | LoopEvent::RunEnded { .. } => start.wakes(at),
            _ => {}
        }
        if let LoopEvent::RunEnded { seconds, .. } = event {
            start.took = Some(*seconds);
        }
    }

    /// Until the last event.
    pub fn seconds(&self) -> f64 {
        self.before + self.start.as_ref().map_or(0.0, Start::seconds)
    }

    /// Whether it rests or is paused.
    pub fn is_idle(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.idle_since.is_some())
    }
}

impl Start {
    fn wakes(&mut self, at: DateTime<Utc>) {
        self.idle += self.idle_since.take().map_or(0.0, |since| seconds(since, at));
    }

    fn seconds(&self) -> f64 {
        let idle = self.idle + self.idle_since.map_or(0.0, |since| seconds(since, self.last_event));
        let awake = (seconds(self.at, self.last_event) - idle).max(0.0);
        match self.took {
            Some(took) if idle > 0.0 => took.clamp(0.0, awake),
            Some(took) => took.max(0.0),
            None => awake,
        }
    }
}

/// Clocks get set back.
pub(crate) fn seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    (to - from).num_milliseconds().max(0) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use engine::{RestReason, RunEnd};
    use tasks::Mode;

    use super::*;
    use crate::samples::*;

    const HOURS: i64 = 6 * 3600;

    fn worked(events: impl IntoIterator<Item = (i64, LoopEvent)>) -> Worked {
        let mut worked = Worked::default();
        events.into_iter().for_each(|(after, event)| worked.apply(at(after), &event));
        worked
    }

    fn started() -> LoopEvent {
        a_run().swap_remove(0).event
    }

    fn ended(took: f64) -> LoopEvent {
        let mut event = run_ended(RunEnd::IterationsUsed);
        if let LoopEvent::RunEnded { seconds, .. } = &mut event {
            *seconds = took;
        }
        event
    }

    #[test]
    fn pauses_and_rests_are_no_work_however_the_run_ends() {
        let until = at(HOURS);
        let rest =
            LoopEvent::Resting { reason: RestReason::UsageLimit, text: String::new(), until };
        let goes_on = iteration_started(1, 1, Mode::Implement);
        for (sleeps, wakes) in [(LoopEvent::Paused, LoopEvent::WentOn), (rest, goes_on)] {
            let run =
                [(0, started()), (100, sleeps), (100 + HOURS, wakes), (200 + HOURS, ended(0.0))];
            assert_eq!(worked(run[..2].to_vec()).seconds(), 100.0);
            assert!(worked(run[..2].to_vec()).is_idle());
            let killed = [&run[..3], &[(200 + HOURS, LoopEvent::GuardMissing { why: "x".into() })]];
            assert_eq!(worked(killed.concat()).seconds(), 200.0);
            let whole = [&run[..3], &[(200 + HOURS, ended(200.0 + HOURS as f64))]].concat();
            assert_eq!(worked(whole).seconds(), 200.0);
        }
    }

    #[test]
    fn a_pause_that_nobody_ended_is_none_either() {
        let text = "still there?".to_owned();
        let run = [(0, started()), (100, LoopEvent::Paused), (HOURS, LoopEvent::Warning { text })];
        assert_eq!(worked(run).seconds(), 100.0);
    }

    #[test]
    fn the_night_between_two_starts_does_not_count() {
        let run =
            [(0, started()), (60, ended(50.0)), (HOURS, started()), (HOURS + 7, LoopEvent::Paused)];
        assert_eq!(worked(run).seconds(), 57.0);
    }
}
