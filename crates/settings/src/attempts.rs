//! Reads how often a story may fail.

use run_options::AttemptLimits;

use crate::leaf::{COUNT, Leaf, POSITIVE, whole};
use crate::object_reader::{FromKeys, ObjectReader};

const TWICE_OR_MORE: Leaf<u64> = Leaf {
    expected: "a whole number, 2 or more",
    read: |json| whole(json).filter(|number| *number >= 2),
};

impl FromKeys for AttemptLimits {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            most: keys.leaf("most", POSITIVE).unwrap_or(default.most),
            stuck_after: keys.leaf("stuckAfter", TWICE_OR_MORE).unwrap_or(default.stuck_after),
            strategy_shifts: keys.leaf("strategyShifts", COUNT).unwrap_or(default.strategy_shifts),
        })
    }
}
