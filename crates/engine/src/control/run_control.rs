//! What every loop has: options, the stop switch, the clock, the user's orders and the sink of its events. Sessions,
//! guardrails and version control tasks run with it.

use std::time::{Duration, Instant};

use events::{StopSignal, TimedTask, Traceparent};
use project::RunLock;

use crate::StopSwitch;
use crate::control::clock::RunClock;
use crate::control::decide::Counters;
use crate::control::executor::{Executor, LocalProcesses};
use crate::control::orders::Orders;
use crate::event_sink::EventSink;
use crate::isolation::docker::DockerSandbox;
use crate::options::RunOptions;

pub(crate) struct RunControl<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) run_id: String,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) sink: EventSink<'a>,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) clock: RunClock,
    pub(crate) orders: Orders,
    /// Held until the run ends; a dry run needs none.
    pub(crate) lock: Option<RunLock>,
    /// The Docker sandbox of Claude Code, if one is used.
    pub(crate) sandbox: Option<DockerSandbox>,
    /// The agent's last error message.
    pub(crate) agent_error: String,
    /// The span of the run, if it is exported.
    pub(crate) trace: Option<Traceparent>,
}

impl<'a> RunControl<'a> {
    pub(crate) fn new(
        options: &'a RunOptions,
        run_id: String,
        counters: &Counters,
        switch: &'a StopSwitch,
        sink: EventSink<'a>,
    ) -> Self {
        let worked = Duration::try_from_secs_f64(counters.worked_seconds).unwrap_or_default();
        let clock = RunClock::new(options.limits.run, worked);
        let (orders, agent_error) = (Orders::none(), String::new());
        let trace = options.trace.as_ref();
        let trace = trace.map(|trace| Traceparent::of_run(&run_id, trace.outer.as_ref()));
        Self {
            options,
            run_id,
            switch,
            sink,
            executor: &LocalProcesses,
            clock,
            orders,
            lock: None,
            sandbox: None,
            agent_error,
            trace,
        }
    }

    /// True once, when the soft limit has passed.
    pub(crate) fn warn_of_time_limit(&mut self) -> bool {
        let is_due = self.clock.take_warning(Instant::now());
        if is_due {
            self.sink.emit(self.clock.limit.warning(TimedTask::Run));
        }
        is_due
    }

    pub(crate) fn stop_after_time_limit(&mut self) {
        if self.clock.is_over(Instant::now()) && self.switch.requested().is_none() {
            self.switch.request(StopSignal::TimeUsed);
        }
    }

    pub(crate) fn report_stop(&mut self) {
        self.orders.report_stop(self.switch, &self.sink);
    }
}
