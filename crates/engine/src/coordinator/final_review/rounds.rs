//! What is known about the final reviews of a run, and the stories that their findings become. The findings are on disk
//! before their stories are added, with the ids of those, so that a killed runner neither loses nor doubles one.

use std::collections::BTreeSet;

use events::{FinalReviewOutcome, ReviewFinding};
use serde::{Deserialize, Serialize};
use tasks::{StoryDraft, StoryId};

use crate::RunError;
use crate::options::FinalReviewUse;

/// How often findings become stories.
const MOST_ROUNDS: usize = 2;

/// The message of the commit that adds stories.
pub(crate) const MESSAGE: &str = "ralph: add the findings of the final review as stories";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FinalReviewState {
    /// The commit from which the run's branch began.
    pub(crate) began_at: Option<String>,
    /// Every story was done, and the review has not ended.
    pub(crate) is_open: bool,
    /// Why the last review is void.
    pub(crate) void: Option<String>,
    /// Those that gave a list of findings.
    rounds: Vec<Round>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Round {
    pub(super) outcome: FinalReviewOutcome,
    pub(super) findings: Vec<ReviewFinding>,
    /// The task list has their stories.
    is_added: bool,
}

impl FinalReviewState {
    /// A review after which stories were added is followed by another one.
    pub(super) fn is_due(&self) -> bool {
        self.rounds.last().is_none_or(|last| last.outcome == FinalReviewOutcome::Stories)
    }

    pub(crate) fn has_new_stories(&self) -> bool {
        self.rounds.last().is_some_and(|last| !last.is_added)
    }

    pub(super) fn next_round(&self) -> u64 {
        self.rounds.len() as u64 + 1
    }

    /// Findings of all reviews so far.
    pub(super) fn findings(&self) -> Vec<ReviewFinding> {
        self.rounds.iter().flat_map(|round| &round.findings).cloned().collect()
    }

    /// Records the findings of a review, each with the story that it becomes.
    pub(super) fn end_round(
        &mut self,
        wanted: FinalReviewUse,
        mut findings: Vec<ReviewFinding>,
        taken: &BTreeSet<StoryId>,
    ) -> Round {
        let became_stories =
            self.rounds.iter().filter(|round| round.outcome == FinalReviewOutcome::Stories).count();
        let outcome = match wanted {
            _ if findings.is_empty() => FinalReviewOutcome::Clean,
            FinalReviewUse::On if became_stories < MOST_ROUNDS => FinalReviewOutcome::Stories,
            _ => FinalReviewOutcome::Reported,
        };
        if outcome == FinalReviewOutcome::Stories {
            let ids = (1_u64..).filter_map(|number| StoryId::new(format!("FR-{number:03}")).ok());
            let free = ids.filter(|id| !taken.contains(id));
            for (finding, id) in findings.iter_mut().zip(free) {
                finding.story = Some(id);
            }
        }
        let is_added = outcome != FinalReviewOutcome::Stories;
        let round = Round { outcome, findings, is_added };
        self.rounds.push(round.clone());
        self.void = None;
        round
    }

    /// Stories that the task list does not have yet.
    pub(crate) fn drafts(&self) -> Vec<StoryDraft> {
        let open = self.rounds.iter().filter(|round| !round.is_added);
        open.flat_map(|round| &round.findings).filter_map(draft).collect()
    }

    pub(crate) fn added(&mut self) {
        self.rounds.iter_mut().for_each(|round| round.is_added = true);
    }
}

fn draft(finding: &ReviewFinding) -> Option<StoryDraft> {
    let place = finding.place();
    let at = if place.is_empty() { String::new() } else { format!(" in {place}") };
    let description =
        format!("A review of all work of the run found a problem{at} after every story was done.");
    let criterion = format!("This problem is gone, or proven not to exist: {}", finding.text);
    Some(StoryDraft::new(
        finding.story.clone()?,
        finding.title.clone(),
        description,
        vec![criterion],
    ))
}

pub(crate) fn with_drafts(text: &str, drafts: &[StoryDraft]) -> Result<String, RunError> {
    tasks::with_new_stories(text, drafts)
        .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(title: &str) -> ReviewFinding {
        ReviewFinding { title: title.into(), text: "x".into(), ..ReviewFinding::default() }
    }

    #[test]
    fn two_rounds_become_stories_and_the_third_is_reported() {
        use FinalReviewOutcome::{Reported, Stories};
        let mut state = FinalReviewState::default();
        let mut taken: BTreeSet<StoryId> = [StoryId::new("FR-002").unwrap()].into();
        let mut outcomes = Vec::new();
        let mut ids = Vec::new();
        while state.is_due() {
            let round =
                state.end_round(FinalReviewUse::On, vec![finding("a"), finding("b")], &taken);
            assert_eq!(state.has_new_stories(), round.outcome == Stories);
            state.added();
            let of_round = round.findings.into_iter().filter_map(|finding| finding.story);
            let of_round: Vec<StoryId> = of_round.collect();
            taken.extend(of_round.clone());
            ids.extend(of_round.iter().map(ToString::to_string));
            outcomes.push(round.outcome);
        }
        assert_eq!(outcomes, [Stories, Stories, Reported]);
        assert_eq!(ids, ["FR-001", "FR-003", "FR-004", "FR-005"]);
    }

    #[test]
    fn findings_that_are_only_reported_and_no_findings_end_it() {
        for (findings, outcome) in [
            (vec![finding("a")], FinalReviewOutcome::Reported),
            (Vec::new(), FinalReviewOutcome::Clean),
        ] {
            let mut state = FinalReviewState::default();
            let round = state.end_round(FinalReviewUse::Report, findings, &BTreeSet::new());
            assert_eq!(round.outcome, outcome);
            assert!(!state.is_due() && !state.has_new_stories() && state.drafts().is_empty());
        }
    }
}
