//! Reads how often a story may fail.

use json_reader::Leaf;
use run_options::AttemptLimits;

use crate::leaf::{COUNT, POSITIVE, whole};
use crate::section::{Keys, Section};

const TWICE_OR_MORE: Leaf<u64> =
    Leaf::new("a whole number, 2 or more", |json| whole(json).filter(|number| *number >= 2));

impl Section for AttemptLimits {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("most", &mut self.most, POSITIVE);
        keys.set("stuckAfter", &mut self.stuck_after, TWICE_OR_MORE);
        keys.set("strategyShifts", &mut self.strategy_shifts, COUNT);
    }
}
