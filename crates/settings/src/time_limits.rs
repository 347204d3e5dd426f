//! How long things may take. A soft limit warns, a hard one ends.

use serde::Serialize;

use crate::leaf::Leaf;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;

/// How long things may take. At a soft limit there is a warning; a hard one ends it. `"0s"` is no
/// limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeLimits {
    /// One session of the agent that works: a warning. Without it, 12m over a task list and none
    /// over a prompt; `"0s"` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_soft: Option<TimeSpan>,
    /// One session of the agent that works; then it is ended. Without it, 20m over a task list and
    /// 1h over a prompt; `"0s"` is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<TimeSpan>,
    /// One review: a warning; `"0s"` is none.
    pub review_soft: TimeSpan,
    /// One review; then it is ended. `"0s"` is no limit.
    pub review: TimeSpan,
    /// One guardrail or check: a warning; `"0s"` is none.
    pub guardrail_soft: TimeSpan,
    /// One guardrail or check that sets no limit of its own; then it is ended. `"0s"` is no limit.
    pub guardrail: TimeSpan,
    /// One look at the quality: a warning; `"0s"` is none.
    pub quality_soft: TimeSpan,
    /// One look at the quality; then it is ended. `"0s"` is no limit.
    pub quality: TimeSpan,
    /// One session that compacts what earlier ones left: a warning; `"0s"` is none.
    pub memory_soft: TimeSpan,
    /// One session that compacts what earlier ones left; then it is ended. `"0s"` is no limit.
    pub memory: TimeSpan,
    /// The whole run: a warning. What it waits for a usage limit does not count. Without it, 45m
    /// over a task list and none over a prompt; `"0s"` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_soft: Option<TimeSpan>,
    /// The whole run; then it ends with everything saved and exit code 1. Without it, 1h over a task
    /// list and none over a prompt; `"0s"` is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<TimeSpan>,
    /// The agent prints nothing; `"0s"` is no limit.
    pub idle: TimeSpan,
    /// After its result, for the agent to exit. Then it is ended, and its answer counts.
    pub linger: TimeSpan,
    /// After the first Ctrl-C, for the agent to finish its answer.
    pub stop_grace: TimeSpan,
    /// Makes all of them longer or shorter, for work that is known to take long: 2 doubles them, and
    /// those of guardrails too. `linger` and `stopGrace` stay.
    #[cfg_attr(test, schemars(extend("exclusiveMinimum" = 0, "maximum" = TimeLimits::MOST)))]
    pub multiplier: f64,
}

impl TimeLimits {
    /// Beyond it, somebody wants no limit and should say so.
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
        let mut time = |key| keys.leaf(key, TimeSpan::LEAF);
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
