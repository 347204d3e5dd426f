//! The run's record of one story: cost, failures, commits, and its review state from before.

use events::{FailAction, GivenUp, WeakenedTests};
use project::ProtectedFiles;
use serde::{Deserialize, Serialize};
use tasks::{Mode, ReviewFields, StoryId, StoryState};
use vcs::{CommitId, CommitRange};

use crate::checks::FailedGuardrail;
use crate::lane::attempt::Attempt;
use crate::lane::candidate::Candidates;
use crate::lane::extra_help::ExtraHelp;
use crate::lane::proof::StoryProof;
use crate::lane::question::Question;
use crate::workspace::ReviewNotice;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryRecord {
    pub(crate) iterations: u64,
    pub(crate) cost_usd: f64,
    /// Why the last iteration on it was not accepted; cleared once one is accepted.
    pub(crate) failure: Option<IterationFailure>,
    /// The commit from which its first iteration started.
    pub(crate) began_at: Option<String>,
    /// Its review fields at that time.
    #[serde(default)]
    pub(crate) began_as: Option<SavedReviewFields>,
    /// Failed attempts, oldest first.
    #[serde(default)]
    pub(crate) attempts: Vec<Attempt>,
    /// Consecutive sessions that changed the project without changing the story's status.
    #[serde(default)]
    pub(crate) unsubmitted: u64,
    /// Extra help of the current attempt.
    #[serde(default)]
    pub(crate) help_given: ExtraHelp,
    /// What sessions of the current attempt cost with a stronger model or another agent.
    #[serde(default)]
    pub(crate) help_cost_usd: f64,
    /// The candidates of the current attempt.
    #[serde(default)]
    pub(crate) candidates: Option<Candidates>,
    /// The agent of the last session that implemented; `None` is the implementing agent of the run.
    #[serde(default)]
    pub(crate) implemented_by: Option<String>,
    /// `None` until the runner saw its tests fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<StoryProof>,
    /// Its commits on the run's branch, oldest first.
    #[serde(default)]
    pub(crate) work: Vec<OwnCommits>,
    /// Failed checks of the last run that do not block the story.
    #[serde(default)]
    pub(crate) tolerated: Vec<FailedGuardrail>,
    /// Tests that were weakened since its last review.
    #[serde(default)]
    pub(crate) weakened: Vec<WeakenedTests>,
    /// Observations about its sessions since its last review.
    #[serde(default)]
    pub(crate) notices: Vec<ReviewNotice>,
    /// The feedback from a pull request that its sessions worked on, for its reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pull_feedback: Option<String>,
    /// The rolled back commit of its last attempt, if any.
    #[serde(default)]
    pub(crate) rolled_back: Option<String>,
    /// What its sessions asked the user, oldest first.
    #[serde(default)]
    pub(crate) questions: Vec<Question>,
    #[serde(default, alias = "setAside")]
    pub(crate) given_up: Option<GivenUp>,
}

/// A range of consecutive commits of a story; `from` is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnCommits {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl OwnCommits {
    /// `None` if the state file has invalid ids.
    pub(crate) fn range(&self) -> Option<CommitRange> {
        Some(CommitRange {
            from: CommitId::new(&self.from).ok()?,
            to: CommitId::new(&self.to).ok()?,
        })
    }
}

/// Why an iteration was not accepted, for the next prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IterationFailure {
    pub(crate) iteration: u64,
    pub(crate) mode: Option<Mode>,
    pub(crate) story: Option<StoryId>,
    /// Broken rules.
    pub(crate) findings: Vec<String>,
    /// Failed checks.
    #[serde(default)]
    pub(crate) guardrails: Vec<FailedGuardrail>,
    /// Failed checks that do not block the story.
    #[serde(default)]
    pub(crate) tolerated: Vec<FailedGuardrail>,
    /// Any other reason.
    pub(crate) other: Option<String>,
}

/// The fields that a story gets when its status change is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedReviewFields {
    pub(crate) story: StoryId,
    pub(crate) state: StoryState,
    pub(crate) feedback: String,
}

impl SavedReviewFields {
    pub(crate) fn new(story: &StoryId, fields: ReviewFields) -> Self {
        Self { story: story.clone(), state: fields.state, feedback: fields.feedback }
    }

    pub(crate) fn fields(&self) -> ReviewFields {
        ReviewFields { state: self.state, feedback: self.feedback.clone() }
    }
}

impl StoryRecord {
    /// The files of the proof, which only a specify session may change.
    pub(crate) fn proof_files(&self, mode: Mode) -> ProtectedFiles {
        let proof = self.proof.as_ref().filter(|_| mode != Mode::Specify);
        proof.map(|proof| proof.files.clone()).unwrap_or_default()
    }

    pub(crate) fn has_only_failed_candidates(&self) -> bool {
        self.candidates.as_ref().is_some_and(|it| !it.ended.is_empty() && it.passing().is_empty())
    }

    /// Takes over what sessions of a part must know about the split story. Its questions count for each part.
    pub(crate) fn inherit(&mut self, split: Self) {
        self.began_at = split.began_at.or(self.began_at.take());
        self.weakened.extend(split.weakened);
        self.notices.extend(split.notices);
        self.questions = split.questions;
        self.implemented_by = split.implemented_by;
    }

    pub(crate) fn has_news_for_review(&self) -> bool {
        !self.weakened.is_empty() || !self.notices.is_empty()
    }

    /// The failure together with the tolerated checks. `None` if there are no tolerated checks.
    pub(crate) fn with_tolerated(
        &self,
        failure: Option<&IterationFailure>,
    ) -> Option<IterationFailure> {
        if self.tolerated.is_empty() {
            return None;
        }
        let tolerated = self.tolerated.clone();
        Some(IterationFailure { tolerated, ..failure.cloned().unwrap_or_default() })
    }
}

impl IterationFailure {
    /// Whether the failure replaces the user's prompt.
    pub(crate) fn replaces_prompt(&self) -> bool {
        self.guardrails.iter().any(|failed| failed.fail_action == FailAction::Replace)
    }

    /// Puts the messages of failed checks before the prompt. The assignment always follows, even if a message replaces
    /// the user's prompt.
    pub(crate) fn before(&self, prompt: &str) -> String {
        let of = |action| self.guardrails.iter().filter(move |g| g.fail_action == action);
        let messages = of(FailAction::Prepend).chain(of(FailAction::Replace));
        let parts = messages.map(ToString::to_string).chain([prompt.to_owned()]);
        parts.collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.has_only_tolerated() && self.tolerated.is_empty()
    }

    /// Whether the iteration was accepted.
    pub(crate) fn has_only_tolerated(&self) -> bool {
        self.findings.is_empty() && self.guardrails.is_empty() && self.other.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weakened_tests_and_notices_are_news_for_a_review() {
        let notice = ReviewNotice { text: "x".into(), names: Vec::new(), whole_list: None };
        let weakened = WeakenedTests { path: "tests/a.rs".into(), findings: Vec::new() };
        assert!(!StoryRecord::default().has_news_for_review());
        let record = StoryRecord { notices: vec![notice], ..StoryRecord::default() };
        assert!(record.has_news_for_review());
        let record = StoryRecord { weakened: vec![weakened], ..StoryRecord::default() };
        assert!(record.has_news_for_review());
    }
}
