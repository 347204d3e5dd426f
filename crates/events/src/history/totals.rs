//! The totals of a story.

use std::collections::BTreeMap;

use crate::TokenCount;
use tasks::StoryId;

use super::{History, IterationRecord, OtherKind, OtherSession};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StoryTotals {
    /// Tries, including retries.
    pub iterations: u64,
    pub seconds: f64,
    /// Cost of its iterations and quality reviews.
    pub cost_usd: f64,
    pub tokens: TokenCount,
}

impl History {
    /// According to this log; a run that was resumed elsewhere may have spent more.
    pub fn totals_of(&self, story: &StoryId) -> StoryTotals {
        let mut totals = StoryTotals::default();
        self.iterations_of(story).for_each(|record| totals.add_iteration(record));
        for other in &self.others {
            if matches!(&other.kind, OtherKind::Quality(of) if of == story) {
                totals.add_other(other);
            }
        }
        totals
    }

    /// The same for all stories, in one pass.
    pub fn totals(&self) -> BTreeMap<&StoryId, StoryTotals> {
        let mut totals: BTreeMap<&StoryId, StoryTotals> = BTreeMap::new();
        for record in &self.iterations {
            if let Some(story) = &record.story {
                totals.entry(story).or_default().add_iteration(record);
            }
        }
        for other in &self.others {
            if let OtherKind::Quality(story) = &other.kind {
                totals.entry(story).or_default().add_other(other);
            }
        }
        totals
    }
}

impl StoryTotals {
    fn add_iteration(&mut self, record: &IterationRecord) {
        self.iterations += 1;
        self.seconds += record.seconds().unwrap_or_default();
        self.cost_usd += record.cost().unwrap_or_default();
        self.tokens.add(record.tokens());
    }

    fn add_other(&mut self, other: &OtherSession) {
        self.seconds += other.seconds;
        self.cost_usd += other.cost_usd;
        self.tokens.add(other.tokens);
    }
}
