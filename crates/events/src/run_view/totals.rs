//! The totals of each story.

use std::collections::BTreeMap;

use crate::TokenCount;
use tasks::StoryId;

use super::{OtherKind, QualityReport, RunView};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StoryTotals {
    /// Tries, including retries.
    pub iterations: u64,
    pub seconds: f64,
    /// Cost of its iterations and quality reviews.
    pub cost_usd: f64,
    pub tokens: TokenCount,
}

impl RunView {
    /// Of each story, according to this log; a run that was resumed elsewhere may have spent more.
    pub fn totals(&self) -> BTreeMap<&StoryId, StoryTotals> {
        let mut all: BTreeMap<&StoryId, StoryTotals> = BTreeMap::new();
        for record in &self.records {
            let Some(story) = &record.story else { continue };
            let totals = all.entry(story).or_default();
            totals.iterations += 1;
            totals.seconds += record.seconds().unwrap_or_default();
            totals.cost_usd += record.cost().unwrap_or_default();
            totals.tokens.add(record.tokens);
        }
        for other in &self.others {
            let OtherKind::Quality(QualityReport { story, .. }) = &other.kind else { continue };
            let totals = all.entry(story).or_default();
            totals.seconds += other.seconds;
            totals.cost_usd += other.cost_usd;
            totals.tokens.add(other.tokens);
        }
        all
    }
}
