//! Export of a run as traces and metrics.

use std::collections::BTreeMap;

use crate::secret::Secret;
use crate::section::{read_map, settings};

settings! {
    /// Export of a run as traces and metrics, with OTLP.
    pub struct Telemetry from keys {
        /// The URL of a collector that accepts OTLP over HTTP, such as `http://localhost:4318`; `/v1/traces` and
        /// `/v1/metrics` are appended. It is never printed.
        #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = r"^https?://[!-~]+$")))]
        pub otlp: Option<Secret> = keys.optional("otlp", Secret::URL),
        /// HTTP headers for the collector, such as `Authorization`. Their values are never printed. Store secrets in
        /// settings.local.json, which git ignores.
        #[cfg_attr(test, schemars(extend(
            "propertyNames" = { "pattern": "^[A-Za-z0-9-]+$" },
            "additionalProperties" = { "type": "string", "pattern": "^[ -~]*$" }
        )))]
        pub headers: BTreeMap<String, Secret> =
            read_map(keys, "headers", Secret::HEADER_NAME, Secret::HEADER),
    }
}
