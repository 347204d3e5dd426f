//! Turns events into requests: spans when they end, and the metrics at that time.

use events::{Stamped, Traceparent};
use serde_json::{Value, json};

use crate::metrics::Metrics;
use crate::otlp::{resource, scope};
use crate::span::Span;
use crate::tracer::Tracer;

/// Spans in one request. curl reads at most 100 KB of it.
const MOST_SPANS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Traces,
    Metrics,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub signal: Signal,
    /// JSON.
    pub body: String,
}

#[derive(Debug)]
pub struct Exporter {
    outer: Option<Traceparent>,
    /// From the first event, which has the id of the run.
    tracer: Option<Tracer>,
    metrics: Metrics,
}

impl Exporter {
    /// `outer` is the span of what started the run, if that is traced too.
    pub fn new(outer: Option<Traceparent>) -> Self {
        Self { outer, tracer: None, metrics: Metrics::default() }
    }

    /// An event of an earlier process of the run, whose spans and metrics were exported.
    pub fn replay(&mut self, stamped: &Stamped) {
        self.tracer_of(&stamped.run).apply(stamped);
    }

    /// What to send after this event.
    pub fn apply(&mut self, stamped: &Stamped) -> Vec<Request> {
        self.tracer_of(&stamped.run);
        let Self { tracer: Some(tracer), metrics, .. } = self else { return Vec::new() };
        metrics.apply(stamped, tracer);
        let spans = tracer.apply(stamped);
        if spans.is_empty() {
            return Vec::new();
        }
        let spans: Vec<Value> = spans.into_iter().map(Span::into_json).collect();
        let resource = resource(&tracer.view);
        let traces = spans.chunks(MOST_SPANS).map(|spans| Request {
            signal: Signal::Traces,
            body: json!({ "resourceSpans": [{ "resource": resource,
                "scopeSpans": [{ "scope": scope(), "spans": spans }] }] })
            .to_string(),
        });
        let mut requests: Vec<Request> = traces.collect();
        let metrics = metrics.at(stamped.at, tracer);
        requests.push(Request {
            signal: Signal::Metrics,
            body: json!({ "resourceMetrics": [{ "resource": resource,
                "scopeMetrics": [{ "scope": scope(), "metrics": metrics }] }] })
            .to_string(),
        });
        requests
    }

    fn tracer_of(&mut self, run: &str) -> &mut Tracer {
        let outer = &self.outer;
        self.tracer.get_or_insert_with(|| Tracer::new(run, outer.clone()))
    }
}

#[cfg(test)]
mod tests;
