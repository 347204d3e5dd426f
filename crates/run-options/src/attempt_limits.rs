//! How often a story may fail before the run gives it up.

use serde::Serialize;

/// How often a story may fail before the run gives it up and continues with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttemptLimits {
    /// Failed attempts allowed per story.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub most: u64,
    /// After how many equal failures in a row the agent counts as stuck.
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub stuck_after: u64,
    /// How often a stuck agent is asked to try another approach.
    pub strategy_shifts: u64,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self { most: 5, stuck_after: 3, strategy_shifts: 2 }
    }
}
