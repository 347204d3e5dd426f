//! Reads how often a story may fail or ask, the help before it is given up, and the retries after a failure of the
//! agent.

use json_reader::Leaf;
use run_options::{AttemptLimits, EscalationSteps, QuestionLimits, Retries};

use crate::leaf::{COUNT, NON_BLANK, POSITIVE, TIME, whole};
use crate::section::{Keys, Section};

const TWICE_OR_MORE: Leaf<u64> =
    Leaf::new("a whole number, 2 or more", |json| whole(json).filter(|number| *number >= 2));

impl Section for AttemptLimits {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        let default = Self::default();
        Self {
            most: keys.or("most", POSITIVE, default.most),
            stuck_after: keys.or("stuckAfter", TWICE_OR_MORE, default.stuck_after),
            strategy_shifts: keys.or("strategyShifts", COUNT, default.strategy_shifts),
        }
    }
}

const CANDIDATES: Leaf<u64> = Leaf::new("a whole number from 0 to 10", |json| {
    whole(json).filter(|number| *number <= EscalationSteps::MOST_CANDIDATES)
});

impl Section for EscalationSteps {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        let mut list = |name| keys.items(name, NON_BLANK).unwrap_or_default();
        let (models, agents) = (list("models"), list("agents"));
        Self { models, agents, candidates: keys.or("candidates", CANDIDATES, 0) }
    }
}

const MOST_QUESTIONS: Leaf<u64> = Leaf::new("a whole number from 0 to 10", |json| {
    whole(json).filter(|number| *number <= QuestionLimits::LARGEST)
});

impl Section for QuestionLimits {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self { max: keys.or("max", MOST_QUESTIONS, Self::default().max) }
    }
}

impl Section for Retries {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        let default = Self::default();
        Self {
            most: keys.or("most", COUNT, default.most),
            first_wait: keys.or("firstWait", TIME, default.first_wait),
        }
    }
}
