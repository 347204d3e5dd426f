//! What a number of iterations achieved and used.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Serialize, Serializer};

use crate::{IterationRecord, IterationStatus, Verdict};

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Those that count against the limit of their run.
    pub iterations: u64,
    /// Of them, those that did not count as a step.
    pub failed: u64,
    pub stories_done: u64,
    /// Reviews with a verdict.
    pub reviews: u64,
    /// Of them, those that requested changes, or had concerns at the review limit.
    pub reviews_with_findings: u64,
    /// Iterations that weakened tests.
    pub weakened_tests: u64,
    pub seconds: f64,
    /// `None` if no agent reported it.
    pub cost_usd: Option<f64>,
    /// Iterations whose agent did not report it.
    pub without_cost: u64,
}

impl Figures {
    pub(super) fn of(record: &IterationRecord) -> Self {
        let cost = record.cost();
        let mut figures = Self::spent(record.seconds().unwrap_or_default(), cost);
        figures.weakened_tests = u64::from(!record.weakened_tests.is_empty());
        let Some(end) = record.end.as_ref() else { return figures };
        if end.status.is_used_up() {
            let in_vain =
                end.status == IterationStatus::NoProgress && record.failed_attempt.is_some();
            let is_void = end.status == IterationStatus::Void;
            figures.iterations = 1;
            figures.failed = (end.status.is_failed_attempt() || in_vain || is_void).into();
            figures.without_cost = cost.is_none().into();
        }
        if let (Some(verdict), true) = (record.verdict, record.is_review()) {
            figures.reviews = 1;
            figures.reviews_with_findings = (verdict != Verdict::Approved).into();
        }
        figures
    }

    pub(super) fn spent(seconds: f64, cost_usd: Option<f64>) -> Self {
        Self { seconds: known(seconds), cost_usd: cost_usd.map(known), ..Self::default() }
    }

    /// Average over the finished stories, with the work on those that are not finished.
    pub fn iterations_per_story(&self) -> Option<f64> {
        self.per_story(self.iterations as f64)
    }

    pub fn cost_per_story(&self) -> Option<f64> {
        self.per_story(self.cost_usd?)
    }

    pub fn seconds_per_story(&self) -> Option<f64> {
        self.per_story(self.seconds)
    }

    pub fn seconds_per_iteration(&self) -> Option<f64> {
        (self.iterations > 0).then(|| self.seconds / self.iterations as f64)
    }

    fn per_story(&self, whole: f64) -> Option<f64> {
        (self.stories_done > 0).then(|| whole / self.stories_done as f64)
    }

    /// `None` if agents report no cost.
    pub fn cost_per_iteration(&self) -> Option<f64> {
        let usd = self.cost_usd.filter(|usd| *usd > 0.0)?;
        (self.iterations > 0).then(|| usd / self.iterations as f64)
    }
}

/// What a log says of a time or a cost; a forged one can say anything.
fn known(number: f64) -> f64 {
    if number.is_finite() { number.max(0.0) } else { 0.0 }
}

impl AddAssign<&Self> for Figures {
    fn add_assign(&mut self, more: &Self) {
        self.iterations += more.iterations;
        self.failed += more.failed;
        self.stories_done += more.stories_done;
        self.reviews += more.reviews;
        self.reviews_with_findings += more.reviews_with_findings;
        self.weakened_tests += more.weakened_tests;
        self.without_cost += more.without_cost;
        // Each is finite, but the sum may not be.
        self.seconds = (self.seconds + more.seconds).min(f64::MAX);
        if let Some(usd) = more.cost_usd {
            self.cost_usd = Some((self.cost_usd.unwrap_or_default() + usd).min(f64::MAX));
        }
    }
}

#[derive(Serialize)]
pub(super) struct Named<'a, T> {
    pub(super) name: &'a str,
    #[serde(flatten)]
    pub(super) figures: &'a T,
}

pub(super) fn as_list<S: Serializer>(
    figures: &BTreeMap<String, Figures>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(figures.iter().map(|(name, figures)| Named { name, figures }))
}
