//! The proofs of the stories: the newest runs of their tests, and what these show for each criterion.

use serde::Serialize;

use crate::{ProofPhase, ProofResult, ProofRun, ProofTest, ProvenCriterion};

/// The newest run of each phase of a story's proof.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryProof {
    pub red: Option<ProofRun>,
    pub green: Option<ProofRun>,
    pub without_work: Option<ProofRun>,
}

/// What the newest runs show for a test, or for a criterion by the worst of its tests. The worst is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofState {
    /// The criterion has no test.
    Manual,
    /// It failed without the work, and passes with it.
    Green,
    /// It passes without the work too.
    ProvesNothing,
    Red,
    /// It neither failed nor passed.
    NoResult,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CriterionProof {
    pub criterion: String,
    /// Why no test can show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
    pub state: ProofState,
    pub tests: Vec<TestProof>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestProof {
    pub framework: String,
    pub file: String,
    pub name: String,
    pub state: ProofState,
    pub red: Option<TestRun>,
    pub green: Option<TestRun>,
    pub without_work: Option<TestRun>,
}

/// The result of one test in one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRun {
    pub commit: String,
    pub result: ProofResult,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The number of tests in each state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofSummary {
    pub criteria: u64,
    pub tests: u64,
    pub green: u64,
    pub proves_nothing: u64,
    pub red: u64,
    pub no_result: u64,
    /// The criteria without a test.
    pub manual: Vec<String>,
}

impl StoryProof {
    pub(super) fn add(&mut self, run: &ProofRun) {
        let slot = match run.phase {
            ProofPhase::Red => {
                // New tests: the old ones prove nothing any more.
                (self.green, self.without_work) = (None, None);
                &mut self.red
            }
            ProofPhase::Green => &mut self.green,
            ProofPhase::WithoutWork => &mut self.without_work,
        };
        *slot = Some(run.clone());
    }

    /// Each run has the same criteria, unless an earlier log has the red one.
    pub fn criteria(&self) -> Vec<CriterionProof> {
        let any = self.green.as_ref().or(self.red.as_ref()).or(self.without_work.as_ref());
        let criteria = any.map_or(&[][..], |run| &run.criteria);
        criteria.iter().map(|criterion| self.criterion(criterion)).collect()
    }

    fn criterion(&self, proven: &ProvenCriterion) -> CriterionProof {
        let tests: Vec<TestProof> = proven.tests.iter().map(|test| self.test(test)).collect();
        let worst = tests.iter().map(|test| test.state).max();
        CriterionProof {
            criterion: proven.criterion.clone(),
            manual: proven.manual.clone(),
            state: worst.unwrap_or(ProofState::Manual),
            tests,
        }
    }

    fn test(&self, test: &ProofTest) -> TestProof {
        let of = |run: &Option<ProofRun>| TestRun::of(test, run.as_ref()?);
        let (red, green) = (of(&self.red), of(&self.green));
        let without_work = of(&self.without_work);
        let passes_without = [&red, &without_work]
            .into_iter()
            .any(|run| run.as_ref().is_some_and(|run| run.result == ProofResult::Passed));
        let state = match green.as_ref().or(red.as_ref()).map(|run| run.result) {
            Some(ProofResult::Failed) => ProofState::Red,
            Some(ProofResult::Passed) if passes_without => ProofState::ProvesNothing,
            Some(ProofResult::Passed) => ProofState::Green,
            Some(_) | None => ProofState::NoResult,
        };
        let ProofTest { framework, file, name, .. } = test.clone();
        TestProof { framework, file, name, state, red, green, without_work }
    }

    /// What is wrong, by the newest runs.
    pub fn problems(&self) -> Vec<String> {
        let runs = [self.green.as_ref().or(self.red.as_ref()), self.without_work.as_ref()];
        runs.into_iter().flatten().flat_map(|run| run.problems.clone()).collect()
    }

    pub fn summary(&self) -> ProofSummary {
        let mut summary = ProofSummary::default();
        for criterion in self.criteria() {
            summary.criteria += 1;
            for test in &criterion.tests {
                summary.tests += 1;
                match test.state {
                    ProofState::Green => summary.green += 1,
                    ProofState::ProvesNothing => summary.proves_nothing += 1,
                    ProofState::Red => summary.red += 1,
                    ProofState::NoResult | ProofState::Manual => summary.no_result += 1,
                }
            }
            if criterion.state == ProofState::Manual {
                summary.manual.push(criterion.criterion);
            }
        }
        summary
    }
}

impl TestProof {
    /// `tests/test_sum.py: test_empty`
    pub fn place(&self) -> String {
        format!("{}: {}", self.file, self.name)
    }
}

impl TestRun {
    fn of(test: &ProofTest, run: &ProofRun) -> Option<Self> {
        let is_it = |one: &&ProofTest| {
            (&one.framework, &one.file, &one.name) == (&test.framework, &test.file, &test.name)
        };
        let found = run.tests().find(is_it)?;
        let (commit, message) = (run.commit.clone(), found.message.clone());
        Some(Self { commit, result: found.result, message })
    }
}
