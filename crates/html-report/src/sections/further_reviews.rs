//! Reviews of all work with their findings, and the verdicts of several reviewers of a story.

use events::format::{review_verdict, short_id};
use events::{FinalReview, FinalReviewOutcome, ReviewFinding, ReviewerVerdict, Role, Verdict};
use tasks::ReviewVerdict;

use super::{NO_VERDICT, badge, code, id, quiet, quote, section};
use crate::PageInput;
use crate::html::{Element, Html, element};
use crate::table::table;

pub(super) fn further_reviews(input: &PageInput<'_>) -> Html {
    let section = section("further-reviews", "Further reviews");
    let (reviews, verdicts) = (&input.view.final_reviews, &input.view.reviewer_verdicts);
    if reviews.is_empty() && verdicts.is_empty() {
        return section.add(quiet("No final review, and no story with several reviewers.")).into();
    }
    let columns = "Story, #Iteration, Reviewer, Verdict, Feedback";
    let caption = "Verdicts of several reviewers: all must approve";
    let table = || table(caption, columns, verdicts.iter().map(cells));
    section.add_all(reviews.iter().map(final_review)).add((!verdicts.is_empty()).then(table)).into()
}

fn final_review(review: &FinalReview) -> Element {
    let FinalReview { iteration, round, from, to, outcome, text, findings } = review;
    let (class, state) = match outcome {
        FinalReviewOutcome::Clean => ("good", (Role::Good, "no findings")),
        FinalReviewOutcome::Stories => ("warn", (Role::Warn, "findings became stories")),
        FinalReviewOutcome::Reported => ("warn", (Role::Warn, "findings are open")),
        FinalReviewOutcome::Void => ("bad", (Role::Bad, "void")),
    };
    // A void review is repeated with the same number.
    let range = quiet(format!("Iteration {iteration}, commits "));
    let range = range.add(code(&short_id(from))).add(" to ").add(code(&short_id(to))).add(".");
    element("article")
        .class(format!("card {class}"))
        .add(element("h3").add(badge(state)).add(format!(" Final review {round}")))
        .add(range)
        .add((!text.is_empty()).then(|| quote(text)))
        .add((!findings.is_empty()).then(|| element("ul").add_all(findings.iter().map(finding))))
}

fn finding(finding: &ReviewFinding) -> Element {
    let place = finding.place();
    let place = (!place.is_empty()).then(|| element("span").add(code(&place)).add(" "));
    let story = finding.story.as_ref().map(|story| element("span").add(id(story)).add(" "));
    let head = element("li").add(story).add(place);
    head.add(element("strong").add(&finding.title)).add(quote(&finding.text))
}

fn cells(given: &ReviewerVerdict) -> [Html; 5] {
    let ReviewerVerdict { iteration, story, number, of, reviewer, verdict, text } = given;
    let verdict = verdict.map_or(NO_VERDICT, |verdict| {
        review_verdict(match verdict {
            ReviewVerdict::Approved => Verdict::Approved,
            ReviewVerdict::ChangesRequested => Verdict::ChangesRequested,
        })
    });
    [
        id(story).into(),
        (*iteration).into(),
        format!("{number} of {of}: {reviewer}").into(),
        badge(verdict),
        (!text.is_empty()).then(|| quote(text)).into(),
    ]
}
