//! Tests that prove the acceptance criteria of a story: the proof file, what a test file is, how to run single tests of
//! each framework and what their results say, and disputes about tests.
//!
//! Starts no process. Reads only the project's files that say which framework is used and where a package begins. Proof
//! files, test output and reports are untrusted.

mod dispute;
mod file;
pub mod frameworks;
mod names_tests;
mod path_patterns;
mod problem;
mod test_paths;

pub use dispute::{Dispute, new_disputes};
pub use file::{Evidence, LARGEST_PROOF_FILE, MOST_TESTS, MappedCriterion, MappedTests, ProofFile};
pub use frameworks::{
    Canary, ConfigurationFile, Failure, FailureKind, Framework, ProofError, RunnerOptions,
    TestCommand, TestOutput, TestRef, TestResult, canary, commands, configuration,
    configuration_changed, results,
};
pub use names_tests::names_tests;
pub use path_patterns::{InvalidPattern, PathPatterns};
pub use problem::ProofProblem;
pub use test_paths::{CONVENTIONS, test_path_patterns};
