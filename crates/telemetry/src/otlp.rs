//! The parts that all requests have: attributes, times, and what the data is about.

use std::fmt::Display;
use std::path::Path;

use chrono::{DateTime, Utc};
use events::RunView;
use serde::Serialize;
use serde_json::{Value, json};

/// Characters of a text, which may come from an agent.
const LONGEST: usize = 200;

#[derive(Debug, Clone, Default)]
pub(crate) struct Attributes(Vec<Value>);

impl Attributes {
    pub(crate) fn text(self, key: &str, value: impl Display) -> Self {
        self.maybe(key, Some(value))
    }

    /// Nothing for `None`.
    pub(crate) fn maybe(self, key: &str, value: Option<impl Display>) -> Self {
        let Some(value) = value else { return self };
        let text: String = sanitize::line(&value.to_string()).chars().take(LONGEST).collect();
        self.with(key, json!({ "stringValue": text }))
    }

    pub(crate) fn int(self, key: &str, value: Option<u64>) -> Self {
        let Some(value) = value else { return self };
        self.with(key, json!({ "intValue": value.to_string() }))
    }

    pub(crate) fn float(self, key: &str, value: Option<f64>) -> Self {
        let Some(value) = value else { return self };
        self.with(key, json!({ "doubleValue": value }))
    }

    pub(crate) fn into_json(self) -> Value {
        Value::Array(self.0)
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        self.0.push(json!({ "key": key, "value": value }));
        self
    }
}

/// Of the run whose events `view` has.
pub(crate) fn resource(view: &RunView) -> Value {
    let start = view.start.as_ref();
    // The whole path could name the user.
    let project = start.and_then(|start| Path::new(&start.options.project).file_name());
    let attributes = Attributes::default()
        .text("service.name", "ralph")
        .text("service.version", env!("CARGO_PKG_VERSION"))
        .text("service.instance.id", &view.id)
        .maybe("ralph.project", project.map(|name| name.to_string_lossy()));
    json!({ "attributes": attributes.into_json() })
}

pub(crate) fn scope() -> Value {
    json!({ "name": "ralph", "version": env!("CARGO_PKG_VERSION") })
}

/// Of whole milliseconds, because a resumed run reads its start from the event log.
pub(crate) fn nanoseconds(at: DateTime<Utc>) -> String {
    at.timestamp_millis().saturating_mul(1_000_000).to_string()
}

/// The name of a variant in the event log.
pub(crate) fn word(variant: &impl Serialize) -> String {
    let name = serde_json::to_value(variant).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
