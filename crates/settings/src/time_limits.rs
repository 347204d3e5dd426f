//! Time limits. A soft limit warns, a hard limit ends.

use run_options::TimeSpan;
use serde::Serialize;

use crate::leaf::{Leaf, TIME};
use crate::object_reader::{FromKeys, ObjectReader};

/// Time limits. A soft limit causes a warning; a hard limit ends the session, check or run. `"0s"` is no limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeLimits {
    /// Soft limit of an implementing session. Default: 12m with a task list, none with a prompt; `"0s"` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_soft: Option<TimeSpan>,
    /// Hard limit of an implementing session. Default: 20m with a task list, 1h with a prompt; `"0s"` is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<TimeSpan>,
    /// Soft limit of a review; `"0s"` is none.
    pub review_soft: TimeSpan,
    /// Hard limit of a review; `"0s"` is no limit.
    pub review: TimeSpan,
    /// Soft limit of a guardrail or check; `"0s"` is none.
    pub guardrail_soft: TimeSpan,
    /// Hard limit of a guardrail or check without its own limit; `"0s"` is no limit.
    pub guardrail: TimeSpan,
    /// Soft limit of a quality review; `"0s"` is none.
    pub quality_soft: TimeSpan,
    /// Hard limit of a quality review; `"0s"` is no limit.
    pub quality: TimeSpan,
    /// Soft limit of a session that compacts handoffs; `"0s"` is none.
    pub memory_soft: TimeSpan,
    /// Hard limit of a session that compacts handoffs; `"0s"` is no limit.
    pub memory: TimeSpan,
    /// Soft limit of the run, without waits for a usage limit. Default: 45m with a task list, none with a prompt;
    /// `"0s"` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_soft: Option<TimeSpan>,
    /// Hard limit of the run; it ends with everything saved and exit code 1. Default: 1h with a task list, none with a
    /// prompt; `"0s"` is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<TimeSpan>,
    /// The longest time without output of the agent; `"0s"` is no limit.
    pub idle: TimeSpan,
    /// Time for the agent to exit after its result; then it is ended and its answer counts.
    pub linger: TimeSpan,
    /// Time for the agent to finish its answer after the first Ctrl-C.
    pub stop_grace: TimeSpan,
    /// Factor for all limits, including those of guardrails: 2 doubles them. `linger` and `stopGrace` stay.
    #[cfg_attr(test, schemars(extend("exclusiveMinimum" = 0, "maximum" = TimeLimits::MOST)))]
    pub multiplier: f64,
}

impl TimeLimits {
    /// For more, `"0s"` (no limit) is the right value.
    const MOST: u16 = 1000;

    const MULTIPLIER: Leaf<f64> = Leaf {
        expected: "a number above 0, at most 1000",
        read: |json| (crate::leaf::AMOUNT.read)(json).filter(|by| *by <= f64::from(Self::MOST)),
    };
}

impl Default for TimeLimits {
    fn default() -> Self {
        let minutes = |minutes: u64| TimeSpan::from_secs(minutes * 60);
        Self {
            iteration_soft: None,
            iteration: None,
            review_soft: minutes(3),
            review: minutes(5),
            guardrail_soft: minutes(5),
            guardrail: minutes(10),
            quality_soft: minutes(2),
            quality: minutes(3),
            memory_soft: minutes(4),
            memory: minutes(6),
            run_soft: None,
            run: None,
            // Longer than Claude Code lets one command of its Bash tool run.
            idle: minutes(15),
            linger: TimeSpan::from_secs(30),
            stop_grace: TimeSpan::from_secs(30),
            multiplier: 1.0,
        }
    }
}

impl FromKeys for TimeLimits {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        let mut time = |key| keys.leaf(key, TIME);
        Some(Self {
            iteration_soft: time("iterationSoft"),
            iteration: time("iteration"),
            review_soft: time("reviewSoft").unwrap_or(default.review_soft),
            review: time("review").unwrap_or(default.review),
            guardrail_soft: time("guardrailSoft").unwrap_or(default.guardrail_soft),
            guardrail: time("guardrail").unwrap_or(default.guardrail),
            quality_soft: time("qualitySoft").unwrap_or(default.quality_soft),
            quality: time("quality").unwrap_or(default.quality),
            memory_soft: time("memorySoft").unwrap_or(default.memory_soft),
            memory: time("memory").unwrap_or(default.memory),
            run_soft: time("runSoft"),
            run: time("run"),
            idle: time("idle").unwrap_or(default.idle),
            linger: time("linger").unwrap_or(default.linger),
            stop_grace: time("stopGrace").unwrap_or(default.stop_grace),
            multiplier: keys.leaf("multiplier", Self::MULTIPLIER).unwrap_or(default.multiplier),
        })
    }
}
