//! The table of stories, their reviews and proofs.

use events::format::{cost_cell, count, duration, review_verdict};
use events::{IterationMode, IterationRecord, concerns_at_cap};

use super::{NO_VERDICT, badge, id, proofs, quiet, quote, section};
use crate::PageInput;
use crate::html::{Html, element};
use crate::table::{folded, list_or_fold, table};
use crate::tally::{StoryRow, has_stories, when};

/// Iterations are counted differently: a completed review is accepted, whatever its verdict.
const CAPTION: &str = "All stories; a review that requests changes is a failed attempt too";

pub(super) fn stories(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let section = section("stories", "Stories");
    if !has_stories(input.view) {
        return section.add(quiet("This loop works from a prompt; it has no stories.")).into();
    }
    if rows.is_empty() {
        return section.add(quiet("No stories yet.")).into();
    }
    // Only a run with lanes merges stories.
    let merged = if input.view.merges.is_empty() { "" } else { ", Merged" };
    let columns = format!(
        "Story, State, #Reviews, #Failed attempts, #Iterations, #Time, #Cost, #Tokens{merged}"
    );
    let reviews: Vec<Html> = rows.iter().filter_map(|row| reviews(input, row)).collect();
    let heading = (!reviews.is_empty()).then(|| element("h3").add("Reviews by story"));
    section
        .add(table(CAPTION, &columns, rows.iter().map(|row| cells(input, row))))
        .add(heading)
        .add(list_or_fold("reviews", "Stories with reviews", reviews))
        .add_all(proofs::proofs(input, rows))
        .into()
}

/// The last cell has a column only in a run that merges stories.
fn cells(input: &PageInput<'_>, row: &StoryRow<'_>) -> [Html; 9] {
    [
        element("span").add(id(&row.brief.id)).add(" ").add(&row.brief.title).into(),
        badge(row.state),
        row.reviews().into(),
        row.brief.failed_attempts.into(),
        row.totals.iterations.into(),
        duration(row.totals.seconds).into(),
        cost_cell(row.cost()).into(),
        row.tokens().into(),
        merged(input, row).into(),
    ]
}

/// When the story was merged, and the lane that worked on it.
fn merged(input: &PageInput<'_>, row: &StoryRow<'_>) -> Option<String> {
    let merge = input.view.merged(&row.brief.id)?;
    let at = when(merge.end.as_ref()?.at, input.offset);
    Some(merge.lane.map_or(at.clone(), |lane| format!("{at}, lane {lane}")))
}

/// `None` for a story without reviews.
fn reviews(input: &PageInput<'_>, row: &StoryRow<'_>) -> Option<Html> {
    let reviews: Vec<Html> = row
        .iterations
        .iter()
        .filter(|record| record.mode == IterationMode::Review && record.is_over())
        .map(|record| review(input, record))
        .collect();
    let number = count(reviews.len() as u64, "review", "reviews");
    let summary =
        element("span").add(id(&row.brief.id)).add(format!(" {}: {number}", row.brief.title));
    (!reviews.is_empty()).then(|| {
        let list = element("ol").class("reviews").add_all(reviews);
        folded(format!("reviews-{}", row.brief.id), summary, list.into()).into()
    })
}

fn review(input: &PageInput<'_>, record: &IterationRecord) -> Html {
    let verdict = record.verdict.map(|verdict| badge(review_verdict(verdict)));
    let feedback = record.moves.iter().rev().find(|one| !one.feedback.trim().is_empty());
    let feedback = feedback.map(|one| concerns_at_cap(&one.feedback).unwrap_or(&one.feedback));
    let at = record.end.as_ref().map_or(record.started_at, |end| end.at);
    element("li")
        .add(verdict.unwrap_or_else(|| badge(NO_VERDICT)))
        .add(format!(" iteration {}, {}", record.number, when(at, input.offset)))
        .add(record.void_verdict.as_ref().map(|why| format!(": verdict void: {why}")))
        .add(feedback.map(quote))
        .into()
}
