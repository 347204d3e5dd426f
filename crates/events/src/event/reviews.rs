//! Reviews of several stories, and by several reviewers.

use serde::{Deserialize, Serialize};
use tasks::{ReviewVerdict, StoryId};

/// A problem that a review found in a range of commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewFinding {
    /// On one line.
    pub title: String,
    /// What is wrong, and what is correct.
    pub text: String,
    /// Relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The story that is to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryId>,
}

/// The result of a final review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalReview {
    pub iteration: u64,
    /// Counts the final reviews of the run that gave a list of findings.
    pub round: u64,
    /// The reviewed commits: those after `from`, up to `to`.
    pub from: String,
    pub to: String,
    pub outcome: FinalReviewOutcome,
    /// Why the review is void.
    #[serde(default)]
    pub text: String,
    pub findings: Vec<ReviewFinding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalReviewOutcome {
    /// Nothing is wrong.
    Clean,
    /// Each finding becomes a story.
    Stories,
    /// The findings are only reported.
    Reported,
    /// It gave no list of findings that counts, so it is repeated.
    Void,
}

impl ReviewFinding {
    /// `src/a.rs:12`; empty without a file.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (None, _) => String::new(),
            (Some(file), None) => file.clone(),
            (Some(file), Some(line)) => format!("{file}:{line}"),
        }
    }
}

/// The verdict of one of several reviewers of a story, as its session gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerVerdict {
    pub iteration: u64,
    pub story: StoryId,
    /// From 1; `of` must agree.
    pub number: u64,
    pub of: u64,
    /// The agent, with its model if the settings name one.
    pub reviewer: String,
    /// `None` if it gave none that counts.
    pub verdict: Option<ReviewVerdict>,
    /// Its feedback, or why there is no verdict.
    pub text: String,
}
