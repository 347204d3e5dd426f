//! How often a story may fail before the run gives it up.

use serde::Serialize;

use crate::leaf::{COUNT, Leaf, POSITIVE, whole};
use crate::object_reader::{FromKeys, ObjectReader};

/// How often a story may fail before the run gives it up and continues with the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempts {
    /// Failed attempts allowed per story.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub most: u64,
    /// After how many equal failures in a row the agent counts as stuck.
    #[cfg_attr(test, schemars(range(min = 2)))]
    pub stuck_after: u64,
    /// How often a stuck agent is asked to try another approach.
    pub strategy_shifts: u64,
}

const TWICE_OR_MORE: Leaf<u64> = Leaf {
    expected: "a whole number, 2 or more",
    read: |json| whole(json).filter(|number| *number >= 2),
};

impl Default for Attempts {
    fn default() -> Self {
        Self { most: 5, stuck_after: 3, strategy_shifts: 2 }
    }
}

impl FromKeys for Attempts {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            most: keys.leaf("most", POSITIVE).unwrap_or(default.most),
            stuck_after: keys.leaf("stuckAfter", TWICE_OR_MORE).unwrap_or(default.stuck_after),
            strategy_shifts: keys.leaf("strategyShifts", COUNT).unwrap_or(default.strategy_shifts),
        })
    }
}
