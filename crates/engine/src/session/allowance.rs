//! Time limits of a child process: its own limit, capped by the time left of the run.

use std::time::{Duration, Instant};

use events::{StopSignal, TimedTask};
use supervise::{EndReason, Ended, SoftLimit, SoftLimits};

use crate::control::{RunClock, RunControl};
use crate::event_sink::EventSink;
use crate::limits::TimeLimit;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) what: TimedTask,
    pub(crate) limit: TimeLimit,
}

impl Allowance {
    /// The hard limit, and the soft limits after which a warning is emitted.
    pub(crate) fn within(self, clock: &RunClock) -> (Option<Duration>, SoftLimits) {
        let left = clock.left(Instant::now());
        let soft = SoftLimits { own: self.limit.soft, shared: left.soft };
        (self.limit.hard_within(left), soft)
    }

    pub(crate) fn warn(self, which: SoftLimit, clock: &mut RunClock, sink: &EventSink<'_>) {
        match which {
            SoftLimit::Own => sink.emit(self.limit.warning(self.what)),
            SoftLimit::Shared => {
                if clock.take_warning(Instant::now()) {
                    sink.emit(clock.limit.warning(TimedTask::Run));
                }
            }
        }
    }
}

impl RunControl<'_> {
    /// A child that ended because the run's time is over counts as stopped with the run, not as timed out.
    pub(crate) fn apply_end_of_run(&mut self, ended: Ended) -> Ended {
        if ended.how != EndReason::TotalLimit || !self.clock.is_over(Instant::now()) {
            return ended;
        }
        if self.switch.requested().is_none() {
            self.switch.request(StopSignal::TimeUsed);
        }
        Ended { how: EndReason::Stopped, ..ended }
    }
}
