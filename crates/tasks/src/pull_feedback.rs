//! The mark before feedback that people wrote on a pull request.

use crate::Story;

const MARK: &str = "[PULL REQUEST #";

/// The beginning of feedback from this pull request.
pub fn pull_request_mark(number: u64) -> String {
    format!("{MARK}{number}]")
}

impl Story {
    /// Whether people who may not instruct a session wrote its feedback.
    pub fn has_pull_request_feedback(&self) -> bool {
        self.review_feedback.trim_start().starts_with(MARK)
    }
}
