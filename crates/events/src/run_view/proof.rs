//! The proofs of the stories: the newest runs of their tests.

use serde::Serialize;

use crate::{ProofPhase, ProofRun};

/// The newest run of each phase of a story's proof.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryProof {
    pub red: Option<ProofRun>,
    pub green: Option<ProofRun>,
    pub without_work: Option<ProofRun>,
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
}
