//! How often each check failed.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::Statistics;
use super::figures::Named;
use crate::{CheckOutcome, CheckRecord};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckFigures {
    pub runs: u64,
    /// With those that timed out or could not be started.
    pub failed: u64,
}

impl CheckFigures {
    pub(super) fn add(&mut self, check: &CheckRecord) {
        self.runs += 1;
        self.failed += u64::from(check.outcome != CheckOutcome::Passed);
    }
}

impl Statistics {
    /// The check that failed most comes first.
    pub fn checks_by_failures(&self) -> Vec<(&str, CheckFigures)> {
        sorted(&self.checks)
    }
}

fn sorted(checks: &BTreeMap<String, CheckFigures>) -> Vec<(&str, CheckFigures)> {
    let mut checks: Vec<_> = checks.iter().map(|(name, check)| (name.as_str(), *check)).collect();
    checks.sort_by_key(|(_, check)| std::cmp::Reverse((check.failed, check.runs)));
    checks
}

pub(super) fn by_failures<S: Serializer>(
    checks: &BTreeMap<String, CheckFigures>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(sorted(checks).iter().map(|(name, figures)| Named { name, figures }))
}
