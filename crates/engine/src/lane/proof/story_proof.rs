//! The proof of a story, as the run records it: the tests that the runner saw fail, and the files that hold them.

use events::{ProofResult, ProofTest, ProvenCriterion};
use project::ProtectedFiles;
use proof::{Evidence, MappedCriterion, MappedTests, TestRef};
use serde::{Deserialize, Serialize};
use tasks::Story;

/// Implementing sessions may dispute tests this often.
pub(crate) const MOST_DISPUTES: u64 = 2;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryProof {
    /// The commit without the work on the story.
    pub(crate) base: String,
    /// The commit on which the tests failed.
    pub(crate) red_at: String,
    /// The proof file, the files of its tests, and all others that the session which wrote them changed.
    pub(crate) files: ProtectedFiles,
    pub(crate) criteria: MappedTests,
    /// The commit on which they passed.
    #[serde(default)]
    pub(crate) green_at: Option<String>,
    /// Tests that passed without the work too.
    #[serde(default)]
    pub(crate) proves_nothing: Vec<TestRef>,
    /// Files of the work that name the tests or their framework.
    #[serde(default)]
    pub(crate) names_tests: Vec<String>,
    #[serde(default)]
    pub(crate) disputes: u64,
    /// Why another specify session must look at the tests.
    #[serde(default)]
    pub(crate) reopened: Option<String>,
}

impl StoryProof {
    pub(crate) fn tests(&self) -> Vec<TestRef> {
        self.criteria.tests().into_iter().cloned().collect()
    }

    /// Whether each criterion of the story has its proof, and no specify session has to look at the tests again.
    pub(crate) fn holds_for(&self, story: &Story) -> bool {
        let proven = self.criteria.criteria.iter().map(|criterion| &criterion.text);
        self.reopened.is_none() && proven.eq(&story.acceptance_criteria)
    }
}

/// The criteria with the results of their tests.
pub(super) fn with_results(
    criteria: &[MappedCriterion],
    result_of: impl Fn(&TestRef) -> (ProofResult, String),
) -> Vec<ProvenCriterion> {
    let proven = |criterion: &MappedCriterion| {
        let (tests, manual) = match &criterion.evidence {
            Evidence::Tests(tests) => (tests.as_slice(), None),
            Evidence::Manual(why) => (&[][..], Some(why.clone())),
        };
        let tests = tests.iter().map(|test| {
            let (result, message) = result_of(test);
            let (file, name) = (test.file.clone(), test.name.clone());
            ProofTest { framework: test.framework.to_string(), file, name, result, message }
        });
        let tests = tests.collect();
        ProvenCriterion { criterion: criterion.text.clone(), manual, tests }
    };
    criteria.iter().map(proven).collect()
}
