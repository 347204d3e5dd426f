//! How long things may take.

use serde::Serialize;

use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;

/// How long things may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeLimits {
    /// One session of the agent; `"0s"` is no limit.
    pub iteration: TimeSpan,
    /// The agent prints nothing; `"0s"` is no limit.
    pub idle: TimeSpan,
    /// One guardrail or check that sets no limit of its own; `"0s"` is no limit.
    pub guardrail: TimeSpan,
    /// After its result, for the agent to exit. Then it is ended, and its answer counts.
    pub linger: TimeSpan,
    /// After the first Ctrl-C, for the agent to finish its answer.
    pub stop_grace: TimeSpan,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            iteration: TimeSpan::from_secs(60 * 60),
            idle: TimeSpan::from_secs(15 * 60),
            guardrail: TimeSpan::from_secs(10 * 60),
            linger: TimeSpan::from_secs(30),
            stop_grace: TimeSpan::from_secs(30),
        }
    }
}

impl FromKeys for TimeLimits {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        let mut time = |key, default| keys.leaf(key, TimeSpan::LEAF).unwrap_or(default);
        Some(Self {
            iteration: time("iteration", default.iteration),
            idle: time("idle", default.idle),
            guardrail: time("guardrail", default.guardrail),
            linger: time("linger", default.linger),
            stop_grace: time("stopGrace", default.stop_grace),
        })
    }
}
