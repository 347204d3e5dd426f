//! Checks that passed for one tree.

use crate::checks::{CheckResult, FailedGuardrail, KnownFailures, Validation, ValidationVerdict};
use crate::options::ValidationStrategy;

/// A verdict applies to one tree, one list of commands, one list of known failures and one strategy. It is never written to disk, where an
/// agent could forge one. A resumed run therefore runs the checks again.
#[derive(Debug, Clone)]
pub(crate) struct PassedChecks {
    pub(crate) request: CheckRequest,
    pub(crate) results: Vec<CheckResult>,
    pub(crate) tolerated: Vec<FailedGuardrail>,
    pub(crate) passed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckRequest {
    pub(crate) tree: String,
    pub(crate) commands: Vec<String>,
    pub(crate) known: KnownFailures,
    pub(crate) strategy: ValidationStrategy,
}

impl CheckRequest {
    pub(crate) fn validation(
        &self,
        verdict: ValidationVerdict,
        results: Vec<CheckResult>,
    ) -> Validation {
        Validation { strategy: self.strategy, verdict, tree: self.tree.clone(), results }
    }
}
