//! Time limits. A soft limit warns, a hard limit ends.

use json_reader::Leaf;
use run_options::TimeSpan;

use crate::leaf::{AMOUNT, TIME};
use crate::section::settings;

settings! {
    /// Time limits. A soft limit causes a warning; a hard limit ends the session, check or run. `"0s"` is no limit.
    pub struct TimeLimits from keys {
        /// Soft limit of an implementing session. Default: 12m with a task list, none with a prompt; `"0s"` is none.
        pub iteration_soft: Option<TimeSpan> = keys.optional("iterationSoft", TIME),
        /// Hard limit of an implementing session. Default: 20m with a task list, 1h with a prompt; `"0s"` is no limit.
        pub iteration: Option<TimeSpan> = keys.optional("iteration", TIME),
        /// Soft limit of a review; `"0s"` is none.
        pub review_soft: TimeSpan = keys.or("reviewSoft", TIME, minutes(3)),
        /// Hard limit of a review; `"0s"` is no limit.
        pub review: TimeSpan = keys.or("review", TIME, minutes(5)),
        /// Soft limit of a guardrail or check; `"0s"` is none.
        pub guardrail_soft: TimeSpan = keys.or("guardrailSoft", TIME, minutes(5)),
        /// Hard limit of a guardrail or check without its own limit; `"0s"` is no limit.
        pub guardrail: TimeSpan = keys.or("guardrail", TIME, minutes(10)),
        /// Soft limit of a quality review; `"0s"` is none.
        pub quality_soft: TimeSpan = keys.or("qualitySoft", TIME, minutes(2)),
        /// Hard limit of a quality review; `"0s"` is no limit.
        pub quality: TimeSpan = keys.or("quality", TIME, minutes(3)),
        /// Soft limit of a session that compacts handoffs; `"0s"` is none.
        pub memory_soft: TimeSpan = keys.or("memorySoft", TIME, minutes(4)),
        /// Hard limit of a session that compacts handoffs; `"0s"` is no limit.
        pub memory: TimeSpan = keys.or("memory", TIME, minutes(6)),
        /// Soft limit of the run, without waits for a usage limit. Default: 45m with a task list, none with a prompt;
        /// `"0s"` is none.
        pub run_soft: Option<TimeSpan> = keys.optional("runSoft", TIME),
        /// Hard limit of the run; it ends with everything saved and exit code 1. Default: 1h with a task list, none
        /// with a prompt; `"0s"` is no limit.
        pub run: Option<TimeSpan> = keys.optional("run", TIME),
        /// The longest time without output of the agent; `"0s"` is no limit.
        // Longer than Claude Code lets one command of its Bash tool run.
        pub idle: TimeSpan = keys.or("idle", TIME, minutes(15)),
        /// Time for the agent to exit after its result; then it is ended and its answer counts.
        pub linger: TimeSpan = keys.or("linger", TIME, TimeSpan::from_secs(30)),
        /// Time for the agent to finish its answer after the first Ctrl-C.
        pub stop_grace: TimeSpan = keys.or("stopGrace", TIME, TimeSpan::from_secs(30)),
        /// Factor for all limits, including those of guardrails: 2 doubles them. `linger` and `stopGrace` stay.
        #[cfg_attr(test, schemars(extend("exclusiveMinimum" = 0, "maximum" = TimeLimits::MOST)))]
        pub multiplier: f64 = keys.or("multiplier", Self::MULTIPLIER, 1.0),
    }
}

const fn minutes(minutes: u64) -> TimeSpan {
    TimeSpan::from_secs(minutes * 60)
}

impl TimeLimits {
    /// For more, `"0s"` (no limit) is the right value.
    const MOST: u16 = 1000;

    const MULTIPLIER: Leaf<f64> = Leaf::new("a number above 0, at most 1000", |json| {
        (AMOUNT.read)(json).filter(|by| *by <= f64::from(Self::MOST))
    });
}
