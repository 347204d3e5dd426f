//! The proof of a story, for reports and `ralph-loop proof`.

use events::format::review_verdict;
use events::{CriterionProof, ProofRun, ProofSummary, RunView, StoryProof};
use serde::Serialize;
use tasks::StoryId;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProofReport {
    pub story: StoryId,
    pub title: String,
    /// The verdict of the last review of the story.
    pub review: Option<&'static str>,
    pub summary: ProofSummary,
    pub criteria: Vec<CriterionProof>,
    pub problems: Vec<String>,
}

impl ProofReport {
    /// `None` if the tests of the story did not run.
    pub(crate) fn of(view: &RunView, story: &StoryId) -> Option<Self> {
        let proof = view.proofs.get(story)?;
        let verdict = view.verdicts.get(story);
        Some(Self {
            story: story.clone(),
            title: view.story(story).map(|story| story.title.clone()).unwrap_or_default(),
            review: verdict.map(|verdict| review_verdict(*verdict).1),
            summary: proof.summary(),
            criteria: proof.criteria(),
            problems: proof.problems(),
        })
    }

    /// Of one run of the tests with the work.
    pub(crate) fn of_run(title: String, run: ProofRun) -> Self {
        let story = run.story.clone();
        let proof = StoryProof { green: Some(run), ..StoryProof::default() };
        let (summary, criteria, problems) = (proof.summary(), proof.criteria(), proof.problems());
        Self { story, title, review: None, summary, criteria, problems }
    }

    /// In the order of the stories.
    pub(super) fn all(view: &RunView) -> Vec<Self> {
        view.stories.iter().filter_map(|story| Self::of(view, &story.id)).collect()
    }
}
