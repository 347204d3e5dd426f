//! What a run remembers of one story: what it took, what failed, and where it stood before.

use serde::{Deserialize, Serialize};
use tasks::{Mode, ReviewFields, StoryId, StoryState};
use vcs::{CommitId, Stretch};

use crate::failed_guardrail::FailedGuardrail;
use crate::stories::attempt::{Attempt, Help};
use crate::stories::notice::Notice;
use crate::{FailAction, GivenUp, WeakenedTests};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryRecord {
    pub(crate) iterations: u64,
    pub(crate) cost_usd: f64,
    /// What was wrong with the last iteration on it; gone once one is accepted.
    pub(crate) failure: Option<Failure>,
    /// The commit that its first iteration started from.
    pub(crate) began_at: Option<String>,
    /// Where its review stood then.
    #[serde(default)]
    pub(crate) began_as: Option<TakenBack>,
    /// Those that failed, oldest first.
    #[serde(default)]
    pub(crate) attempts: Vec<Attempt>,
    /// Sessions in a row that worked and left the story where it was.
    #[serde(default)]
    pub(crate) unsubmitted: u64,
    /// What the attempt that goes on was given.
    #[serde(default)]
    pub(crate) help_given: Help,
    /// Its commits on the run's branch, oldest first.
    #[serde(default)]
    pub(crate) work: Vec<OwnCommits>,
    /// Checks that failed the last time they were run on it, and held nothing up.
    #[serde(default)]
    pub(crate) tolerated: Vec<FailedGuardrail>,
    /// Tests that were weakened since its last review.
    #[serde(default)]
    pub(crate) weakened: Vec<WeakenedTests>,
    /// What the runner noticed about its sessions since its last review.
    #[serde(default)]
    pub(crate) notices: Vec<Notice>,
    /// The commit of what its last attempt left, if that was rolled back.
    #[serde(default)]
    pub(crate) rolled_back: Option<String>,
    #[serde(default, alias = "setAside")]
    pub(crate) given_up: Option<GivenUp>,
}

/// Commits of a story in a row: from the one that they started from to the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnCommits {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl OwnCommits {
    /// None if an agent wrote something else there.
    pub(crate) fn stretch(&self) -> Option<Stretch> {
        Some(Stretch { from: CommitId::new(&self.from).ok()?, to: CommitId::new(&self.to).ok()? })
    }
}

/// What the next prompt has to say about an iteration that was not accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    pub(crate) iteration: u64,
    pub(crate) mode: Option<Mode>,
    pub(crate) story: Option<StoryId>,
    /// What it may not do and did.
    pub(crate) findings: Vec<String>,
    /// Checks that did not pass.
    #[serde(default)]
    pub(crate) guardrails: Vec<FailedGuardrail>,
    /// Checks that did not pass and held nothing up.
    #[serde(default)]
    pub(crate) tolerated: Vec<FailedGuardrail>,
    /// Anything else, in a sentence.
    pub(crate) other: Option<String>,
}

/// A story whose step does not stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakenBack {
    pub(crate) story: StoryId,
    pub(crate) state: StoryState,
    pub(crate) feedback: String,
}

impl TakenBack {
    pub(crate) fn new(story: &StoryId, fields: ReviewFields) -> Self {
        Self { story: story.clone(), state: fields.state, feedback: fields.feedback }
    }

    pub(crate) fn fields(&self) -> ReviewFields {
        ReviewFields { state: self.state, feedback: self.feedback.clone() }
    }
}

impl StoryRecord {
    /// What a review of a part has to know of the story that was split.
    pub(crate) fn inherit(&mut self, split: Self) {
        self.began_at = split.began_at.or(self.began_at.take());
        self.weakened.extend(split.weakened);
        self.notices.extend(split.notices);
    }

    pub(crate) fn has_news_for_review(&self) -> bool {
        !self.weakened.is_empty() || !self.notices.is_empty()
    }

    /// What was wrong, with what is only to be noted beside it. None if there is nothing to note.
    pub(crate) fn noted(&self, failure: Option<&Failure>) -> Option<Failure> {
        if self.tolerated.is_empty() {
            return None;
        }
        let tolerated = self.tolerated.clone();
        Some(Failure { tolerated, ..failure.cloned().unwrap_or_default() })
    }
}

impl Failure {
    /// Whether the user's prompt gives way to what failed.
    pub(crate) fn replaces_prompt(&self) -> bool {
        self.guardrails.iter().any(|failed| failed.fail_action == FailAction::Replace)
    }

    /// The prompt after what is not told within it. Where a message takes the place of the user's
    /// prompt, the runner's own part of it, the assignment, still follows.
    pub(crate) fn before(&self, prompt: &str) -> String {
        let of = |action| self.guardrails.iter().filter(move |g| g.fail_action == action);
        let messages = of(FailAction::Prepend).chain(of(FailAction::Replace));
        let parts = messages.map(ToString::to_string).chain([prompt.to_owned()]);
        parts.collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.is_only_a_note() && self.tolerated.is_empty()
    }

    /// Whether the iteration was accepted.
    pub(crate) fn is_only_a_note(&self) -> bool {
        self.findings.is_empty() && self.guardrails.is_empty() && self.other.is_none()
    }
}
