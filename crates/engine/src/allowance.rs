//! How long a child of the run may take: its own limit, within what is left of the run's.

use std::time::{Duration, Instant};

use supervise::{Ended, How, SoftLimit, SoftLimits};

use crate::clock::RunClock;
use crate::drive::time_warning;
use crate::event_sink::EventSink;
use crate::limits::TimeLimit;
use crate::session_context::SessionContext;
use crate::{StopSignal, Timed};

/// What takes its time, and how much it may.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) what: Timed,
    pub(crate) limit: TimeLimit,
}

impl Allowance {
    /// Until it is ended, and until somebody is told.
    pub(crate) fn within(self, clock: &RunClock) -> (Option<Duration>, SoftLimits) {
        let left = clock.left(Instant::now());
        let soft = SoftLimits { own: self.limit.soft, shared: left.soft };
        (self.limit.hard_within(left), soft)
    }

    pub(crate) fn warn(self, which: SoftLimit, clock: &mut RunClock, sink: &mut EventSink<'_>) {
        match which {
            SoftLimit::Own => sink.emit(time_warning(self.what, self.limit)),
            SoftLimit::Shared => {
                if clock.takes_warning(Instant::now()) {
                    sink.emit(time_warning(Timed::Run, clock.limit()));
                }
            }
        }
    }
}

impl SessionContext<'_, '_> {
    /// A child that was ended because the run's time is over was stopped with the run: its own limit
    /// has nothing to do with it.
    pub(crate) fn apply_end_of_run(&mut self, ended: Ended) -> Ended {
        if ended.how != How::WallLimit || !self.clock.is_over(Instant::now()) {
            return ended;
        }
        if self.switch.heard().is_none() {
            self.switch.hear(StopSignal::TimeUsed);
        }
        Ended { how: How::Stopped, ..ended }
    }
}
