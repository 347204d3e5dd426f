//! The table of all iterations.

use events::format::{cost_cell, duration, iteration_status, per_cent, session_tokens, tokens};
use events::{IterationRecord, Role, RunState};

use super::{badge, id, quiet, section};
use crate::PageInput;
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::{all_tokens, finite, when, zone};

pub(super) fn iterations(input: &PageInput<'_>) -> Html {
    let section = section("iterations", "Iterations");
    let iterations = &input.view.records;
    if iterations.is_empty() {
        return section.add(quiet("No iteration has started yet.")).into();
    }
    let columns = "#Iteration, Mode, Story, Outcome, Started, #Time, #Cost, #Tokens, #Context, #Tool calls, Model";
    let caption = format!("All iterations (times are {})", zone(input.offset));
    let table = table(&caption, columns, iterations.iter().map(|record| cells(input, record)));
    let summary = format!("All {} iterations", iterations.len());
    section.add(folded("all-iterations", summary, table)).into()
}

fn cells(input: &PageInput<'_>, record: &IterationRecord) -> [Html; 11] {
    let number = match record.attempt {
        0 | 1 => record.number.to_string(),
        attempt => format!("{}, try {attempt}", record.number),
    };
    let cut_off = || badge((Role::Warn, "cut off"));
    let outcome = match (&record.end, record.cut_off_at) {
        (Some(end), None) => badge(iteration_status(end.status, record.verdict)),
        (Some(end), Some(_)) => {
            let status = badge(iteration_status(end.status, record.verdict));
            element("span").add(cut_off()).add(" ").add(status).into()
        }
        (None, None) if input.state == RunState::Running => badge((Role::Accent, "running")),
        (None, _) => cut_off(),
    };
    let context = match (record.context_peak, record.context_window) {
        (Some(peak), Some(window)) => per_cent(peak, window),
        (Some(peak), None) => tokens(peak),
        _ => String::new(),
    };
    // A running session has no totals yet.
    let ended = record.agent.is_some() || record.is_over();
    let cost = ended.then(|| cost_cell(record.cost().map(finite)));
    let used = ended.then(|| session_tokens(all_tokens(record.tokens)));
    let calls = match record.calls.failed {
        0 => record.calls.made.to_string(),
        errors => format!("{} ({errors} failed)", record.calls.made),
    };
    let story = record.story.as_ref().map(id);
    let node = record.jobs_summary();
    let mode = format!("{} {node}", record.mode).trim_end().to_owned();
    [
        number.into(),
        mode.into(),
        story.into(),
        outcome,
        when(record.started_at, input.offset).into(),
        record.seconds().map(duration).into(),
        cost.into(),
        used.into(),
        context.into(),
        calls.into(),
        record.model.as_ref().into(),
    ]
}
