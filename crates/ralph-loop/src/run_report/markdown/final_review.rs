//! The verdicts of several reviewers; the reviews of all work: what they found, and what became of it.

use events::{FinalReview, FinalReviewOutcome, ReviewFinding, ReviewerVerdict};

use tasks::ReviewVerdict;

use super::super::safe_markdown::{code, text};
use super::{RunReport, list};

pub(super) fn reviewer_verdicts(report: &RunReport) -> String {
    list(report.reviewer_verdicts.iter().map(|given| {
        let ReviewerVerdict { iteration, story, number, of, reviewer, verdict, text: words } = given;
        let verdict = verdict.map_or("no verdict that counts", |verdict| match verdict {
            ReviewVerdict::Approved => "approved",
            ReviewVerdict::ChangesRequested => "changes requested",
        });
        let words = if words.is_empty() { String::new() } else { format!(": {}", text(words)) };
        let reviewer = text(reviewer);
        format!("{story} (iteration {iteration}), reviewer {number} of {of}, {reviewer}: {verdict}{words}")
    }))
}

pub(super) fn final_reviews(report: &RunReport) -> Vec<String> {
    report.final_reviews.iter().flat_map(|review| [head(review), findings(review)]).collect()
}

fn head(review: &FinalReview) -> String {
    let FinalReview { iteration, round, from, to, outcome, .. } = review;
    let short = |commit: &str| code(commit.get(..12).unwrap_or(commit));
    let what = match outcome {
        FinalReviewOutcome::Clean => "found nothing".to_owned(),
        FinalReviewOutcome::Stories => "found these problems, which became stories:".to_owned(),
        FinalReviewOutcome::Reported => "found these problems, which are open:".to_owned(),
        FinalReviewOutcome::Void => format!("is void: {}", text(&review.text)),
    };
    let range = format!("{} to {}", short(from), short(to));
    match outcome {
        FinalReviewOutcome::Void => format!("A review in iteration {iteration} {what}"),
        _ => format!("Review {round} (iteration {iteration}, {range}) {what}"),
    }
}

fn findings(review: &FinalReview) -> String {
    list(review.findings.iter().map(|finding| {
        let ReviewFinding { title, text: problem, story, .. } = finding;
        let story = story.as_ref().map(|story| format!("{story}: ")).unwrap_or_default();
        let place = match finding.place() {
            place if place.is_empty() => place,
            place => format!("{}: ", code(&place)),
        };
        format!("{story}{place}**{}**: {}", text(title), text(problem))
    }))
}
