//! The proof of a story: for each acceptance criterion, tests that another session than the implementing one wrote, as
//! the runner saw them fail and pass.

use serde::{Deserialize, Serialize};
use tasks::StoryId;

/// The runner ran the tests of a proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofRun {
    pub story: StoryId,
    pub iteration: u64,
    pub phase: ProofPhase,
    /// The commit whose tests ran.
    pub commit: String,
    /// Whether every test gave the result that the phase wants.
    pub accepted: bool,
    /// What is wrong, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    pub criteria: Vec<ProvenCriterion>,
    pub seconds: f64,
}

/// The result that the runner wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofPhase {
    /// Without the work on the story, every test fails.
    Red,
    /// With it, every test passes.
    Green,
    /// With the work taken away again, every test fails. A test that passes is reported only.
    WithoutWork,
}

/// An acceptance criterion with its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvenCriterion {
    pub criterion: String,
    /// Why no test can show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<ProofTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofTest {
    pub framework: String,
    pub file: String,
    pub name: String,
    pub result: ProofResult,
    /// Of the failure; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum ProofResult {
    #[strum(to_string = "passed")]
    Passed,
    /// An assertion failed, or something that the work is to add is missing.
    #[strum(to_string = "failed")]
    Failed,
    /// The test itself is broken, for example by a syntax error.
    #[strum(to_string = "is broken")]
    Broken,
    #[strum(to_string = "was skipped")]
    Skipped,
    #[strum(to_string = "did not run")]
    NotRun,
    /// Its result changed between two runs of the same files.
    #[strum(to_string = "changed its result")]
    Unstable,
}

impl ProofPhase {
    fn wanted(self) -> ProofResult {
        match self {
            Self::Red | Self::WithoutWork => ProofResult::Failed,
            Self::Green => ProofResult::Passed,
        }
    }
}

impl ProofResult {
    /// `None` if the phase wants this result.
    pub fn unwanted(self, phase: ProofPhase) -> Option<Self> {
        (self != phase.wanted()).then_some(self)
    }
}

impl ProofTest {
    /// `tests/test_sum.py: test_empty`
    pub fn place(&self) -> String {
        format!("{}: {}", self.file, self.name)
    }
}

impl ProofRun {
    pub fn tests(&self) -> impl Iterator<Item = &ProofTest> {
        self.criteria.iter().flat_map(|criterion| &criterion.tests)
    }

    /// The tests with another result than the phase wants.
    pub fn unexpected(&self) -> impl Iterator<Item = &ProofTest> {
        self.tests().filter(|test| test.result.unwanted(self.phase).is_some())
    }
}
