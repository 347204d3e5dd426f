//! What two runs of the same tests say together.

use std::collections::BTreeMap;

use events::ProofResult;
use proof::{FailureKind, TestRef, TestResult};

/// The results of one run.
#[derive(Debug, Clone, Default)]
pub(super) struct TestResults(pub(super) BTreeMap<TestRef, TestResult>);

impl TestResults {
    pub(super) fn of(&self, test: &TestRef) -> (ProofResult, String) {
        match self.0.get(test) {
            Some(TestResult::Passed) => (ProofResult::Passed, String::new()),
            Some(TestResult::Failed(failure)) => {
                let result = match failure.kind {
                    FailureKind::BrokenTest => ProofResult::Broken,
                    FailureKind::Assertion | FailureKind::MissingSymbol | FailureKind::Other => {
                        ProofResult::Failed
                    }
                };
                (result, failure.message.clone())
            }
            Some(TestResult::Skipped) => (ProofResult::Skipped, String::new()),
            Some(TestResult::NotCollected { why }) => (ProofResult::NotRun, why.clone()),
            None => (ProofResult::NotRun, String::new()),
        }
    }

    /// A failure that the missing work explains.
    fn is_red(&self, test: &TestRef) -> bool {
        let Some(TestResult::Failed(failure)) = self.0.get(test) else { return false };
        matches!(failure.kind, FailureKind::Assertion | FailureKind::MissingSymbol)
    }

    /// Without the work, a failure must be one that the missing work explains.
    pub(super) fn red(&self, test: &TestRef) -> (ProofResult, String) {
        match self.of(test) {
            (ProofResult::Failed, message) if !self.is_red(test) => (ProofResult::Broken, message),
            found => found,
        }
    }
}

/// A test that gave two results proves nothing.
pub(super) fn both(
    (first, message): (ProofResult, String),
    (second, _): (ProofResult, String),
) -> (ProofResult, String) {
    match first == second {
        true => (first, message),
        false => (ProofResult::Unstable, format!("it {first}, and then it {second}")),
    }
}
