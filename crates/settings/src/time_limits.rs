//! Time limits. A soft limit warns, a hard limit ends.

use json_reader::Leaf;
use run_options::TimeSpan;
use serde::Serialize;

use crate::leaf::{AMOUNT, TIME};
use crate::section::{Keys, Section};

/// Time limits. A soft limit causes a warning; a hard limit ends the session, check or run. `"0s"` is no limit.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(default = "crate::section::defaults::<Self>")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeLimits {
    /// Soft limit of an implementing session. Default: 12m with a task list, none with a prompt; `"0s"` is none.
    pub iteration_soft: Option<TimeSpan>,
    /// Hard limit of an implementing session. Default: 20m with a task list, 1h with a prompt; `"0s"` is no limit.
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
    pub run_soft: Option<TimeSpan>,
    /// Hard limit of the run; it ends with everything saved and exit code 1. Default: 1h with a task list, none with a
    /// prompt; `"0s"` is no limit.
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

    const MULTIPLIER: Leaf<f64> = Leaf::new("a number above 0, at most 1000", |json| {
        (AMOUNT.read)(json).filter(|by| *by <= f64::from(Self::MOST))
    });
}

impl Section for TimeLimits {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        let minutes = |minutes: u64| TimeSpan::from_secs(minutes * 60);
        Self {
            iteration_soft: keys.optional("iterationSoft", TIME),
            iteration: keys.optional("iteration", TIME),
            review_soft: keys.or("reviewSoft", TIME, minutes(3)),
            review: keys.or("review", TIME, minutes(5)),
            guardrail_soft: keys.or("guardrailSoft", TIME, minutes(5)),
            guardrail: keys.or("guardrail", TIME, minutes(10)),
            quality_soft: keys.or("qualitySoft", TIME, minutes(2)),
            quality: keys.or("quality", TIME, minutes(3)),
            memory_soft: keys.or("memorySoft", TIME, minutes(4)),
            memory: keys.or("memory", TIME, minutes(6)),
            run_soft: keys.optional("runSoft", TIME),
            run: keys.optional("run", TIME),
            // Longer than Claude Code lets one command of its Bash tool run.
            idle: keys.or("idle", TIME, minutes(15)),
            linger: keys.or("linger", TIME, TimeSpan::from_secs(30)),
            stop_grace: keys.or("stopGrace", TIME, TimeSpan::from_secs(30)),
            multiplier: keys.or("multiplier", Self::MULTIPLIER, 1.0),
        }
    }
}
