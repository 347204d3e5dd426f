//! A span that has ended, as JSON.

use chrono::{DateTime, Utc};
use events::Traceparent;
use serde_json::{Value, json};

use crate::otlp::{Attributes, nanoseconds};

/// As numbers of OTLP.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
const ERROR: u8 = 2;

#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) id: Traceparent,
    pub(crate) parent: Option<Traceparent>,
    pub(crate) name: String,
    /// Whether another program does the work.
    pub(crate) is_call: bool,
    pub(crate) time: (DateTime<Utc>, DateTime<Utc>),
    pub(crate) attributes: Attributes,
    /// A word that says how it failed.
    pub(crate) error: Option<String>,
}

impl Span {
    pub(crate) fn into_json(self) -> Value {
        let (start, end) = self.time;
        let mut span = json!({
            "traceId": self.id.trace(),
            "spanId": self.id.span(),
            "name": self.name,
            "kind": if self.is_call { CLIENT } else { INTERNAL },
            "startTimeUnixNano": nanoseconds(start),
            "endTimeUnixNano": nanoseconds(end.max(start)),
            "attributes": self.attributes.into_json(),
        });
        if let Some(parent) = self.parent {
            span["parentSpanId"] = parent.span().into();
        }
        if let Some(message) = self.error {
            span["status"] = json!({ "code": ERROR, "message": message });
        }
        span
    }
}
