//! The verdict of a review, as written to the task list and as stated by the reviewer.
//!
//! Any process of a review can write the task list, so a verdict counts only if both agree.

use serde::{Deserialize, Serialize};

use crate::StoryState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReviewVerdict {
    Approved,
    ChangesRequested,
}

impl ReviewVerdict {
    pub const ALL: [Self; 2] = [Self::Approved, Self::ChangesRequested];

    /// The value of `reviewStatus`.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// The verdict that a change of the review fields expresses; `None` without a new verdict.
    pub fn of(before: StoryState, after: StoryState) -> Option<Self> {
        let is_new = before.review_status != after.review_status;
        after.review_status.as_json().filter(|_| is_new).and_then(Self::from_word)
    }

    /// The tag `<verdict>approved</verdict>`.
    pub fn tag(self) -> String {
        format!("<verdict>{self}</verdict>")
    }

    /// The verdict at the end of a reviewer's message: the last line with a letter must be the tag.
    /// Backticks and asterisks around it are ignored, because models add them.
    pub fn ending(message: &str) -> Option<Self> {
        let bare = |line: &str| line.trim().trim_matches(['`', '*']).trim().to_owned();
        let last = message.lines().rev().map(bare).find(|line| !line.is_empty())?;
        Self::from_tag(&last)
    }

    /// The verdict at the end of mixed output of reviewer and programs: the last line must be
    /// exactly the tag.
    pub fn ending_output(output: &str) -> Option<Self> {
        Self::from_tag(output.lines().last()?)
    }

    fn from_tag(line: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.tag() == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReviewStatus;

    const APPROVED: Option<ReviewVerdict> = Some(ReviewVerdict::Approved);
    const REJECTED: Option<ReviewVerdict> = Some(ReviewVerdict::ChangesRequested);

    #[test]
    fn the_last_line_of_a_message_is_the_verdict() {
        for message in [
            "<verdict>approved</verdict>",
            "All is well.\n\n  <verdict>approved</verdict>\r\n\n",
            "<verdict>changes_requested</verdict>\n**<verdict>approved</verdict>**",
            "`<verdict>approved</verdict>`",
            "```\n<verdict>approved</verdict>\n```\n",
        ] {
            assert_eq!(ReviewVerdict::ending(message), APPROVED, "{message}");
        }
        let message = "<promise>COMPLETE</promise>\n<verdict>changes_requested</verdict>";
        assert_eq!(ReviewVerdict::ending(message), REJECTED);
    }

    #[test]
    fn other_text_is_no_verdict() {
        for message in [
            "",
            "\n",
            "```",
            "approved",
            "<verdict>approved</verdict>\nBut see above.",
            "Mine: <verdict>approved</verdict>",
            "<verdict>approved</verdict>.",
            "<verdict>Approved</verdict>",
            "<verdict> approved </verdict>",
            "<verdict>approved<verdict>",
            "<verdict>needs_review</verdict>",
            "<verdict>approved</verdict> <verdict>changes_requested</verdict>",
        ] {
            assert_eq!(ReviewVerdict::ending(message), None, "{message}");
        }
    }

    #[test]
    fn the_last_line_of_an_output_must_be_exactly_the_tag() {
        assert_eq!(ReviewVerdict::ending_output("x\n<verdict>approved</verdict>"), APPROVED);
        for output in [
            "`<verdict>approved</verdict>`",
            "<verdict>approved</verdict>\n```",
            "<verdict>approved</verdict>\n ",
            " <verdict>approved</verdict>",
            "",
        ] {
            assert_eq!(ReviewVerdict::ending_output(output), None, "{output}");
        }
    }

    #[test]
    fn a_status_change_to_a_verdict_is_a_verdict() {
        let at = |review_status| StoryState { review_status, ..StoryState::FRESH };
        let of = |from, to| ReviewVerdict::of(at(from), at(to));
        use ReviewStatus::{Approved, ChangesRequested, NeedsReview, NotSubmitted};
        assert_eq!(of(NeedsReview, Approved), APPROVED);
        assert_eq!(of(NeedsReview, ChangesRequested), REJECTED);
        assert_eq!(of(NeedsReview, NeedsReview), None);
        assert_eq!(of(NeedsReview, NotSubmitted), None);
        assert_eq!(of(Approved, Approved), None, "it was there before");
    }

    #[test]
    fn its_word_is_that_of_the_task_list() {
        for verdict in ReviewVerdict::ALL {
            assert_eq!(ReviewVerdict::from_word(verdict.word()), Some(verdict));
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.word());
            assert!(ReviewStatus::from_json(Some(verdict.word())).is_some());
        }
    }
}
