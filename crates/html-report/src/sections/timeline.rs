//! The timeline of iterations: a row for each mode.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use events::format::{cost, cost_cell, duration, iteration_status};
use events::{IterationMode, IterationRecord, IterationStatus, RunState};

use super::{lanes, quiet, section};
use crate::PageInput;
use crate::chart::{self, ChartText, Times, WIDTH, figure, legend, number, rect};
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::{finite, zone};

const LANE: f64 = 34.0;
const BAR: f64 = 20.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 12.0;
/// The height of the lane of failed iterations.
const FAILED: f64 = 20.0;
/// Closer ticks are merged.
const COLUMN: f64 = 3.0;
/// The minimum visible width.
const THINNEST: f64 = 1.5;

/// Drawn as a filled, hollow or dashed bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Accepted,
    Failed,
    Unfinished,
}

/// One or more adjacent iterations.
#[derive(Debug)]
struct Bar<'h> {
    lane: usize,
    from: f64,
    to: f64,
    outcome: Outcome,
    first: &'h IterationRecord,
    last: &'h IterationRecord,
    number: u64,
}

pub(super) fn timeline(input: &PageInput<'_>) -> Html {
    let section = section("timeline", "Timeline");
    let iterations = &input.view.records;
    let Some(last) = iterations.last() else {
        return section.add(quiet("No iteration has started yet.")).into();
    };
    let modes = modes(iterations);
    // The iterations of several lanes would cover each other.
    match lanes::lanes(input) {
        Some(chart) => section.add(chart).add(figures(input, &modes)).into(),
        None => section.add(by_mode(input, &modes, last.started_at)).into(),
    }
}

fn by_mode(input: &PageInput<'_>, modes: &[IterationMode], last_start: DateTime<Utc>) -> Html {
    let iterations = &input.view.records;
    let until = input.view.last_event.unwrap_or(last_start);
    let ends = iterations.iter().filter_map(IterationRecord::ended_at);
    let moments = iterations.iter().map(|record| record.started_at).chain(ends).chain([until]);
    let times = Times::over(moments, LEFT, RIGHT);
    let bars = bars(input, modes, &times, until);
    let failed_ticks = failed_ticks(iterations, &times, TOP + LANE * modes.len() as f64);
    let bottom =
        TOP + LANE * modes.len() as f64 + if failed_ticks.is_empty() { 0.0 } else { FAILED };
    let mut marks = times.axis(TOP, bottom, input.offset);
    for (lane, mode) in modes.iter().enumerate() {
        let middle = TOP + LANE * (lane as f64 + 0.5);
        marks.push(
            chart::text(LEFT - 12.0, middle + 4.0, &mode.to_string()).class("name end").into(),
        );
    }
    marks.extend(bars.iter().map(|bar| bar_html(bar, modes)));
    marks.extend(failed_ticks);
    let words = ChartText {
        id: "timeline-chart",
        title: "Iterations by mode",
        description: description(input, modes),
    };
    let beneath = element("div").add(key(modes, input)).add(figures(input, modes));
    figure(&words, bottom + 26.0, marks, beneath.into())
}

/// The modes of the run, in the order of a story's life cycle.
fn modes(iterations: &[IterationRecord]) -> Vec<IterationMode> {
    let order = [
        IterationMode::Plan,
        IterationMode::Build,
        IterationMode::Prompt,
        IterationMode::Specify,
        IterationMode::Implement,
        IterationMode::Review,
        IterationMode::ReviewFix,
        IterationMode::FinalReview,
    ];
    let is_used = |mode: &IterationMode| iterations.iter().any(|record| record.mode == *mode);
    order.into_iter().filter(is_used).collect()
}

pub(super) fn paint(mode: IterationMode) -> &'static str {
    match mode {
        IterationMode::Implement | IterationMode::Build => "implement",
        IterationMode::Review => "review",
        IterationMode::ReviewFix => "review-fix",
        IterationMode::Specify => "specify",
        IterationMode::Plan => "plan",
        IterationMode::Prompt | IterationMode::FinalReview => "other",
    }
}

impl Outcome {
    pub(super) fn of(record: &IterationRecord) -> Self {
        match status_of(record) {
            _ if record.cut_off_at.is_some() => Self::Unfinished,
            Some(IterationStatus::Accepted) => Self::Accepted,
            Some(_) => Self::Failed,
            None => Self::Unfinished,
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Accepted => "filled",
            Self::Failed => "hollow",
            Self::Unfinished => "unfinished",
        }
    }
}

fn status_of(record: &IterationRecord) -> Option<IterationStatus> {
    record.end.as_ref().map(|end| end.status)
}

fn is_accepted(record: &IterationRecord) -> bool {
    status_of(record) == Some(IterationStatus::Accepted)
}

fn bars<'h>(
    input: &PageInput<'h>,
    modes: &[IterationMode],
    times: &Times,
    until: DateTime<Utc>,
) -> Vec<Bar<'h>> {
    let mut bars: Vec<Bar<'h>> = Vec::new();
    let mut last_of = vec![None::<usize>; modes.len()];
    for record in &input.view.records {
        let Some(lane) = modes.iter().position(|mode| *mode == record.mode) else { continue };
        let from = times.at(record.started_at);
        let to = times.at(record.ended_at().unwrap_or(until)).max(from + THINNEST);
        let outcome = Outcome::of(record);
        if let Some(last) = last_of[lane].and_then(|at| bars.get_mut(at))
            && last.outcome == outcome
            && to - last.from.max(from - 1.0) < 2.0 * THINNEST
            && from <= last.to + 1.0
        {
            (last.to, last.last, last.number) = (to.max(last.to), record, last.number + 1);
            continue;
        }
        last_of[lane] = Some(bars.len());
        bars.push(Bar { lane, from, to, outcome, first: record, last: record, number: 1 });
    }
    bars
}

fn bar_html(bar: &Bar<'_>, modes: &[IterationMode]) -> Html {
    let top = TOP + LANE * bar.lane as f64 + (LANE - BAR) / 2.0;
    let class = format!("{} {}", paint(modes[bar.lane]), bar.outcome.class());
    // A small gap between two bars.
    let width = (bar.to - bar.from - 0.5).max(1.0);
    rect(bar.from, top, width, BAR).class(class).add(element("title").add(tip(bar))).into()
}

/// Ticks for failed iterations in a separate lane, because hollow bars are easily missed in long runs.
/// The height of a merged tick is the share of failed iterations.
fn failed_ticks(iterations: &[IterationRecord], times: &Times, top: f64) -> Vec<Html> {
    let mut columns: BTreeMap<i64, (u32, u32)> = BTreeMap::new();
    for record in iterations.iter().filter(|record| record.is_over()) {
        let ended = record.ended_at().unwrap_or(record.started_at);
        let middle = (times.at(record.started_at) + times.at(ended)) / 2.0;
        let (all, failed) = columns.entry((middle / COLUMN) as i64).or_default();
        *all += 1;
        *failed += u32::from(!is_accepted(record));
    }
    let ticks = columns.into_iter().filter(|(_, (_, failed))| *failed > 0);
    let path: String = ticks
        .map(|(column, (all, failed))| {
            let height = ((FAILED - 6.0) * f64::from(failed) / f64::from(all)).max(2.0);
            let x = (column as f64 + 0.5) * COLUMN;
            format!("M{} {}v{}", number(x), number(top + FAILED - 6.0), number(-height))
        })
        .collect();
    if path.is_empty() {
        return Vec::new();
    }
    let name = chart::text(LEFT - 12.0, top + 11.0, "failed").class("name end");
    vec![name.into(), element("path").class("failed-ticks").path_data(&path).into()]
}

fn tip(bar: &Bar<'_>) -> String {
    if bar.number > 1 {
        let mode = bar.first.mode;
        let (first, last) = (bar.first.number, bar.last.number);
        let what = match bar.outcome {
            Outcome::Accepted => "accepted",
            Outcome::Failed => "failed",
            Outcome::Unfinished => "not finished",
        };
        return format!("{} times {mode}, iterations {first} to {last}: {what}", bar.number);
    }
    tip_of(bar.first)
}

/// Of a single iteration.
pub(super) fn tip_of(record: &IterationRecord) -> String {
    let story = record.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let took = record.seconds().map(duration).unwrap_or_default();
    let status = match &record.end {
        None => "not finished".to_owned(),
        Some(end) => {
            let (_, text) = iteration_status(end.status, record.verdict);
            format!("{text}, {took}, {}", cost(record.cost()))
        }
    };
    let cut_off = if record.cut_off_at.is_some() { "cut off, " } else { "" };
    format!("{} {}{story}: {cut_off}{status}", record.number, record.mode)
}

fn description(input: &PageInput<'_>, modes: &[IterationMode]) -> String {
    let parts = modes.iter().map(|mode| {
        let of_mode = input.view.records.iter().filter(|record| record.mode == *mode);
        let (mut all, mut accepted) = (0, 0);
        of_mode.for_each(|record| {
            all += 1;
            accepted += u64::from(is_accepted(record));
        });
        format!("{all} times {mode}, {accepted} of them accepted")
    });
    let parts: Vec<String> = parts.collect();
    format!("{}. Times are {}.", parts.join("; "), zone(input.offset))
}

fn key(modes: &[IterationMode], input: &PageInput<'_>) -> Html {
    let modes = modes.iter().map(|mode| (format!("{} filled", paint(*mode)), mode.to_string()));
    let mut outcomes = vec![
        ("other filled".to_owned(), "filled: accepted".to_owned()),
        ("other hollow".to_owned(), "hollow: failed".to_owned()),
    ];
    let is_unfinished = |record: &&IterationRecord| Outcome::of(record) == Outcome::Unfinished;
    let unfinished = input.view.records.iter().filter(is_unfinished);
    let (running, cut_off): (Vec<_>, Vec<_>) = unfinished
        .partition(|record| record.cut_off_at.is_none() && input.state == RunState::Running);
    let word = match (running.is_empty(), cut_off.is_empty()) {
        (true, true) => None,
        (true, false) => Some("cut off"),
        (false, true) => Some("running"),
        (false, false) => Some("running or cut off"),
    };
    let dashed = word.map(|word| ("other unfinished".to_owned(), format!("dashed: {word}")));
    outcomes.extend(dashed);
    legend(modes.chain(outcomes))
}

fn figures(input: &PageInput<'_>, modes: &[IterationMode]) -> Html {
    let columns = "Mode, #Iterations, #Accepted, #Time, #Cost";
    let rows = modes.iter().map(|mode| {
        let (mut all, mut accepted, mut seconds, mut spent) = (0, 0, 0.0, None);
        for record in input.view.records.iter().filter(|record| record.mode == *mode) {
            all += 1;
            accepted += u64::from(is_accepted(record));
            seconds += record.seconds().map_or(0.0, finite);
            spent = record.cost().map(|usd| finite(usd) + spent.unwrap_or(0.0)).or(spent);
        }
        [
            mode.to_string().into(),
            Html::from(all),
            accepted.into(),
            duration(seconds).into(),
            cost_cell(spent).into(),
        ]
    });
    let all = element("p")
        .add("All of them are in the table of ")
        .add(element("a").attr("href", "#iterations").add("iterations"))
        .add(format!(" below. Times are {}.", zone(input.offset)));
    let table = element("div").add(table("Iterations by mode", columns, rows)).add(all);
    folded("timeline-figures", "Show as a table", table.into()).into()
}
