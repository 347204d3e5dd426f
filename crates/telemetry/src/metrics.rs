//! The metrics of a run, since this process began: cumulative, so that a lost request loses nothing.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use events::{AgentEnded, LoopEvent, Stamped};
use serde_json::{Value, json};

use crate::otlp::{Attributes, nanoseconds, word};
use crate::session::{OpenSession, error_of};
use crate::tracer::{DONE, Tracer};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`
const CUMULATIVE: u8 = 2;

/// Seconds. Sessions take minutes, so the boundaries of the conventions for single requests do not fit.
const SECONDS: &[f64] =
    &[1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0];

/// The boundaries of the conventions.
const TOKENS: &[f64] = &[
    1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0, 4194304.0,
    16777216.0, 67108864.0,
];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Sum,
    Gauge,
    /// With the boundaries of its buckets.
    Histogram(&'static [f64]),
}

#[derive(Debug, Clone, Copy)]
struct Metric {
    name: &'static str,
    unit: &'static str,
    kind: Kind,
}

const TOKEN_USAGE: Metric =
    Metric { name: "gen_ai.client.token.usage", unit: "{token}", kind: Kind::Histogram(TOKENS) };
const SESSION_TIME: Metric =
    Metric { name: "gen_ai.client.operation.duration", unit: "s", kind: Kind::Histogram(SECONDS) };
const COST: Metric = Metric { name: "ralph.cost", unit: "{USD}", kind: Kind::Sum };
const ITERATION_TIME: Metric =
    Metric { name: "ralph.iteration.duration", unit: "s", kind: Kind::Histogram(SECONDS) };
const FAILED_ATTEMPTS: Metric =
    Metric { name: "ralph.attempts.failed", unit: "{attempt}", kind: Kind::Sum };
const RUN_TIME: Metric =
    Metric { name: "ralph.run.duration", unit: "s", kind: Kind::Histogram(SECONDS) };
const STORIES: Metric = Metric { name: "ralph.stories", unit: "{story}", kind: Kind::Gauge };

const METRICS: [Metric; 7] =
    [TOKEN_USAGE, SESSION_TIME, COST, ITERATION_TIME, FAILED_ATTEMPTS, RUN_TIME, STORIES];

type Labels = Vec<(&'static str, String)>;

#[derive(Debug, Default)]
struct Point {
    count: u64,
    sum: f64,
    buckets: Vec<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    since: Option<DateTime<Utc>>,
    /// By the name of the metric.
    points: BTreeMap<&'static str, BTreeMap<Labels, Point>>,
}

impl Metrics {
    /// `tracer` is the state before the event.
    pub(crate) fn apply(&mut self, stamped: &Stamped, tracer: &Tracer) {
        self.since.get_or_insert(stamped.at);
        match &stamped.event {
            LoopEvent::AgentEnded(ended) => {
                tracer.session_in(stamped.lane).into_iter().for_each(|one| self.session(one, ended))
            }
            LoopEvent::IterationEnded(ended) => {
                let mode = ("ralph.mode", ended.mode.to_string());
                let labels = vec![mode, ("ralph.status", word(&ended.status))];
                self.add(ITERATION_TIME, labels, ended.seconds);
            }
            LoopEvent::AttemptFailed(failed) => {
                self.add(FAILED_ATTEMPTS, vec![("ralph.gate", word(&failed.gate))], 1.0);
            }
            LoopEvent::RunEnded(ended) => {
                self.add(RUN_TIME, vec![("ralph.end", word(&ended.end))], ended.seconds);
            }
            _ => {}
        }
    }

    fn session(&mut self, session: &OpenSession, ended: &AgentEnded) {
        let labels = session.labels();
        let with = |name, value: &str| [&labels[..], &[(name, value.to_owned())]].concat();
        let tokens = ended.tokens;
        let input = tokens.input + tokens.cache_read + tokens.cache_creation;
        for (kind, count) in [("input", input), ("output", tokens.output)] {
            if count > 0 {
                self.add(TOKEN_USAGE, with("gen_ai.token.type", kind), count as f64);
            }
        }
        if let Some(usd) = ended.cost_usd {
            self.add(COST, with("ralph.mode", &session.mode), usd);
        }
        let labels = match error_of(ended.outcome) {
            Some(error) => with("error.type", &error),
            None => labels,
        };
        self.add(SESSION_TIME, labels, ended.seconds);
    }

    fn add(&mut self, metric: Metric, labels: Labels, value: f64) {
        let points = self.points.entry(metric.name).or_default();
        let point = points.entry(labels).or_default();
        point.count += 1;
        point.sum = if matches!(metric.kind, Kind::Gauge) { value } else { point.sum + value };
        if let Kind::Histogram(bounds) = metric.kind {
            point.buckets.resize(bounds.len() + 1, 0);
            // A value belongs to the first bucket whose upper boundary it does not exceed.
            point.buckets[bounds.partition_point(|bound| *bound < value)] += 1;
        }
    }

    /// `tracer` is the state at that time.
    pub(crate) fn at(&mut self, at: DateTime<Utc>, tracer: &Tracer) -> Value {
        self.count_stories(tracer);
        let since = self.since.unwrap_or(at);
        let known = METRICS.into_iter().filter_map(|one| Some((one, self.points.get(one.name)?)));
        known.map(|(metric, points)| metric.to_json(points, since, at)).collect()
    }

    fn count_stories(&mut self, tracer: &Tracer) {
        let (view, stories) = (&tracer.view, tracer.view.stories.len());
        if stories == 0 {
            return;
        }
        let done = view.stories.iter().filter(|story| view.is_done(story)).count();
        let given_up = view.stories.iter().filter(|story| story.given_up.is_some()).count();
        let open = stories.saturating_sub(done + given_up);
        for (result, count) in [(DONE, done), ("given-up", given_up), ("open", open)] {
            self.add(STORIES, vec![("ralph.result", result.to_owned())], count as f64);
        }
    }
}

impl Metric {
    fn to_json(
        self,
        points: &BTreeMap<Labels, Point>,
        since: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Value {
        let points = points.iter().map(|(labels, point)| {
            let mut json = point.to_json(self.kind);
            let none = Attributes::default();
            let attributes = labels.iter().fold(none, |all, (key, value)| all.text(key, value));
            json["attributes"] = attributes.into_json();
            json["startTimeUnixNano"] = nanoseconds(since).into();
            json["timeUnixNano"] = nanoseconds(at).into();
            json
        });
        let mut data = json!({ "dataPoints": points.collect::<Vec<_>>() });
        if !matches!(self.kind, Kind::Gauge) {
            data["aggregationTemporality"] = CUMULATIVE.into();
        }
        let kind = match self.kind {
            Kind::Gauge => "gauge",
            Kind::Sum => {
                data["isMonotonic"] = true.into();
                "sum"
            }
            Kind::Histogram(_) => "histogram",
        };
        json!({ "name": self.name, "unit": self.unit, kind: data })
    }
}

impl Point {
    fn to_json(&self, kind: Kind) -> Value {
        let Kind::Histogram(bounds) = kind else { return json!({ "asDouble": self.sum }) };
        let buckets: Vec<String> = self.buckets.iter().map(u64::to_string).collect();
        json!({
            "count": self.count.to_string(),
            "sum": self.sum,
            "bucketCounts": buckets,
            "explicitBounds": bounds,
        })
    }
}
