//! The result of a review of all work, and of one of several reviewers.

use tasks::ReviewVerdict;

use super::{Mark, Statement};
use crate::format::count;
use crate::{FinalReview, FinalReviewOutcome, ReviewFinding, ReviewerVerdict, Role};

pub(super) fn ended(review: &FinalReview) -> Vec<Statement> {
    let FinalReview { round, outcome, text, findings, .. } = review;
    let found = || count(findings.len() as u64, "finding", "findings");
    let head = match outcome {
        FinalReviewOutcome::Clean => {
            Statement::note(Role::Good, Mark::Ok, format!("final review {round}: no findings"))
        }
        FinalReviewOutcome::Stories => {
            let text = format!("final review {round}: {}, which become stories", found());
            Statement::warning(text)
        }
        FinalReviewOutcome::Reported => {
            let text = format!("final review {round}: {}, only reported", found());
            Statement::warning(text)
        }
        FinalReviewOutcome::Void => {
            let text = sanitize::line(&format!("the final review is void: {text}"));
            Statement::note(Role::Alarm, Mark::Warning, text)
        }
    };
    let listed = findings.iter().map(|finding| Statement::text(Role::Plain, line(finding)).at(2));
    std::iter::once(head).chain(listed).collect()
}

/// `final review 1: no findings`
pub fn final_review(review: &FinalReview) -> (Role, String) {
    let role = match review.outcome {
        FinalReviewOutcome::Clean => Role::Good,
        _ => Role::Warn,
    };
    (role, ended(review).first().map(Statement::words).unwrap_or_default())
}

/// `FR-001 src/a.rs:12 Two functions round sums`
fn line(finding: &ReviewFinding) -> String {
    let story = finding.story.as_ref().map(ToString::to_string);
    let parts = [story.unwrap_or_default(), finding.place(), finding.title.clone()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    sanitize::line(&parts.join(" "))
}

pub(super) fn reviewer_verdict(given: &ReviewerVerdict) -> Statement {
    let ReviewerVerdict { story, number, of, reviewer, verdict, text, .. } = given;
    let head = format!("reviewer {number} of {of} of {story} ({reviewer})");
    let first = text.lines().next().unwrap_or_default();
    match verdict {
        Some(ReviewVerdict::Approved) => {
            Statement::note(Role::Good, Mark::Ok, sanitize::line(&format!("{head} approves")))
        }
        Some(ReviewVerdict::ChangesRequested) => {
            let text = format!("{head} requests changes: {first}");
            Statement::note(Role::Warn, Mark::Failed, sanitize::line(&text))
        }
        None => {
            let text = format!("{head} gave no verdict that counts: {first}");
            Statement::note(Role::Alarm, Mark::Warning, sanitize::line(&text))
        }
    }
}
