//! Exports a run as traces and metrics to the collector in the settings.
//!
//! `telemetry` makes the requests. This module applies the settings, sends, and describes failures.

use std::time::Duration;

use anyhow::Result;
use background_sender::{BackgroundSender, Destination, Endpoint, SendContext, SendFailure};
use engine::TraceOptions;
use events::{LoopEvent, RunEnd, Stamped, Traceparent, run_logs};
use project::{Layout, env};
use settings::{Settings, Telemetry};
use supervise::StopRequests;
use telemetry::{Exporter, Request, Signal};

use crate::notices::{SHORT_TIMEOUT, keep_waiting, sending};
use crate::programs;

/// The time limit for one request, and for the last ones after the run.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A session has a few requests, so only a collector that hangs fills it.
const QUEUE: usize = 64;

#[derive(Debug)]
pub(crate) struct RunExport {
    exporter: Exporter,
    sender: BackgroundSender<Request>,
    /// Timeout of the last requests after the run.
    timeout: Duration,
}

/// For the engine. `None` if the settings name no collector.
pub(crate) fn trace(settings: &Settings) -> Option<TraceOptions> {
    settings.telemetry.otlp.as_ref()?;
    Some(TraceOptions { outer: outer() })
}

/// The span of what started this process, if that is traced.
fn outer() -> Option<Traceparent> {
    env::variable(env::TRACEPARENT)?.parse().ok()
}

impl RunExport {
    /// `None` if the settings name no collector.
    pub(crate) fn new(settings: &Settings, layout: &Layout) -> Result<Option<Self>> {
        let Some(collector) = collector(&settings.telemetry) else { return Ok(None) };
        let sending = SendContext { limit: TIMEOUT, ..sending(layout)? };
        Ok(Some(Self {
            exporter: Exporter::new(outer()),
            sender: BackgroundSender::start(vec![collector], QUEUE, &sending),
            timeout: TIMEOUT,
        }))
    }

    /// Before the first event of a process: reads the events of earlier ones, if it resumes their run.
    pub(crate) fn resume(&mut self, layout: &Layout, run: &str) {
        // Without them, only the start of some spans is later.
        let _ = run_logs::read(layout, run, |stamped| self.exporter.replay(&stamped));
    }

    /// Returns messages about failures.
    pub(crate) fn handle(&mut self, stamped: &Stamped) -> Vec<String> {
        if matches!(&stamped.event, LoopEvent::RunEnded(run) if run.end == RunEnd::Interrupted) {
            self.timeout = SHORT_TIMEOUT;
        }
        let mut failures = self.sender.failures();
        for request in self.exporter.apply(stamped) {
            failures.extend(self.sender.send(&request));
        }
        failures.iter().map(failure_text).collect()
    }

    /// Waits for unsent requests until a new stop request, and returns messages about failures. Calls `waits` if that
    /// takes a while.
    pub(crate) fn close(self, stop: &StopRequests, waits: impl FnOnce()) -> Vec<String> {
        let failures = self.sender.close(self.timeout, keep_waiting(stop, waits));
        failures.iter().map(failure_text).collect()
    }
}

fn collector(Telemetry { otlp, headers }: &Telemetry) -> Option<Destination<Request>> {
    let base = otlp.as_ref()?.expose().trim_end_matches('/').to_owned();
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
    let headers: Vec<_> = headers.collect();
    let endpoint = |path| {
        Endpoint::new(format!("{base}{path}"), programs::curl()).with_headers(headers.clone())
    };
    let (traces, metrics) = (endpoint("/v1/traces"), endpoint("/v1/metrics"));
    let send = move |request: &Request, sending: &SendContext| match request.signal {
        Signal::Traces => traces.post(&request.body, sending),
        Signal::Metrics => metrics.post(&request.body, sending),
    };
    Some(Destination { name: "telemetry.otlp", send: Box::new(send) })
}

fn failure_text(SendFailure { destination, why }: &SendFailure) -> String {
    format!("cannot send traces and metrics to {destination}: {why}")
}
