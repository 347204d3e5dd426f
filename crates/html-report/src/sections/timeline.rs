//! When iterations ran: a lane for each mode, time from left to right.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use engine::{IterationMode, IterationStatus};
use events::words::{cost, cost_cell, duration, iteration_status};
use events::{IterationRecord, RunState};

use super::{quiet, section};
use crate::Input;
use crate::chart::{self, Times, WIDTH, Words, figure, legend, number, rect};
use crate::html::{Html, element};
use crate::table::Column::{Number, Text};
use crate::table::{folded, table};
use crate::tally::{finite, zone};

const LANE: f64 = 34.0;
const BAR: f64 = 20.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 12.0;
/// The lane of what was in vain.
const VAIN: f64 = 20.0;
/// Ticks that are closer than this are one.
const COLUMN: f64 = 3.0;
/// What is narrower cannot be seen.
const THINNEST: f64 = 1.5;

/// What became of it, as far as a bar can say it: filled, hollow, or dotted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Stands,
    InVain,
    Unfinished,
}

/// One or more iterations that lie side by side.
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

pub(super) fn timeline(input: &Input<'_>) -> Html {
    let section = section("timeline", "Timeline");
    let iterations = &input.history.iterations;
    let Some(last) = iterations.last() else {
        return section.add(quiet("No iteration has begun yet.")).into();
    };
    let until = input.history.last_event.unwrap_or(last.started_at);
    let ends = iterations.iter().filter_map(IterationRecord::ended_at);
    let moments = iterations.iter().map(|record| record.started_at).chain(ends).chain([until]);
    let times = Times::over(moments, LEFT, RIGHT);
    let modes = modes(iterations);
    let bars = bars(input, &modes, &times, until);
    let in_vain = in_vain(iterations, &times, TOP + LANE * modes.len() as f64);
    let bottom = TOP + LANE * modes.len() as f64 + if in_vain.is_empty() { 0.0 } else { VAIN };
    let mut marks = times.axis(TOP, bottom, input.offset);
    for (lane, mode) in modes.iter().enumerate() {
        let middle = TOP + LANE * (lane as f64 + 0.5);
        marks.push(
            chart::text(LEFT - 12.0, middle + 4.0, &mode.to_string()).class("name end").into(),
        );
    }
    marks.extend(bars.iter().map(|bar| drawn(bar, &modes)));
    marks.extend(in_vain);
    let words =
        Words { id: "timeline-chart", title: "Iterations by mode", says: says(input, &modes) };
    let beneath = element("div").add(key(&modes, input)).add(figures(input, &modes));
    section.add(figure(&words, bottom + 26.0, marks, beneath.into())).into()
}

/// Those that there are, in the order that a story goes through them.
fn modes(iterations: &[IterationRecord]) -> Vec<IterationMode> {
    let order = [
        IterationMode::Plan,
        IterationMode::Build,
        IterationMode::Prompt,
        IterationMode::Implement,
        IterationMode::Review,
        IterationMode::ReviewFix,
    ];
    let is_there = |mode: &IterationMode| iterations.iter().any(|record| record.mode == *mode);
    order.into_iter().filter(is_there).collect()
}

pub(super) fn paint(mode: IterationMode) -> &'static str {
    match mode {
        IterationMode::Implement | IterationMode::Build => "implement",
        IterationMode::Review => "review",
        IterationMode::ReviewFix => "review-fix",
        IterationMode::Plan => "plan",
        IterationMode::Prompt => "other",
    }
}

impl Outcome {
    fn of(record: &IterationRecord) -> Self {
        match became(record) {
            _ if record.cut_off_at.is_some() => Self::Unfinished,
            Some(IterationStatus::Accepted) => Self::Stands,
            Some(_) => Self::InVain,
            None => Self::Unfinished,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::InVain => "in-vain",
            Self::Unfinished => "unfinished",
        }
    }
}

fn became(record: &IterationRecord) -> Option<IterationStatus> {
    record.end.as_ref().map(|end| end.status)
}

fn stands(record: &IterationRecord) -> bool {
    became(record) == Some(IterationStatus::Accepted)
}

fn bars<'h>(
    input: &Input<'h>,
    modes: &[IterationMode],
    times: &Times,
    until: DateTime<Utc>,
) -> Vec<Bar<'h>> {
    let mut bars: Vec<Bar<'h>> = Vec::new();
    let mut last_of = vec![None::<usize>; modes.len()];
    for record in &input.history.iterations {
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

fn drawn(bar: &Bar<'_>, modes: &[IterationMode]) -> Html {
    let top = TOP + LANE * bar.lane as f64 + (LANE - BAR) / 2.0;
    let class = format!("{} {}", paint(modes[bar.lane]), bar.outcome.class());
    // A hair of ground between two bars, and an outline that stays within its own.
    let width = (bar.to - bar.from - 0.5).max(1.0);
    rect(bar.from, top, width, BAR).class(class).add(element("title").add(tip(bar))).into()
}

/// Ticks for those that were in vain, in a lane of their own: among a thousand bars a hollow one is
/// easily overlooked. Where many lie side by side, a tick is as high as their part of them.
fn in_vain(iterations: &[IterationRecord], times: &Times, top: f64) -> Vec<Html> {
    let mut columns: BTreeMap<i64, (u32, u32)> = BTreeMap::new();
    for record in iterations.iter().filter(|record| record.is_over()) {
        let ended = record.ended_at().unwrap_or(record.started_at);
        let middle = (times.at(record.started_at) + times.at(ended)) / 2.0;
        let (all, failed) = columns.entry((middle / COLUMN) as i64).or_default();
        *all += 1;
        *failed += u32::from(!stands(record));
    }
    let ticks = columns.into_iter().filter(|(_, (_, failed))| *failed > 0);
    let path: String = ticks
        .map(|(column, (all, failed))| {
            let height = ((VAIN - 6.0) * f64::from(failed) / f64::from(all)).max(2.0);
            let x = (column as f64 + 0.5) * COLUMN;
            format!("M{} {}v{}", number(x), number(top + VAIN - 6.0), number(-height))
        })
        .collect();
    if path.is_empty() {
        return Vec::new();
    }
    let name = chart::text(LEFT - 12.0, top + 11.0, "in vain").class("name end");
    vec![name.into(), element("path").class("vain").drawn(&path).into()]
}

fn tip(bar: &Bar<'_>) -> String {
    let mode = bar.first.mode;
    if bar.number > 1 {
        let (first, last) = (bar.first.number, bar.last.number);
        let what = match bar.outcome {
            Outcome::Stands => "accepted",
            Outcome::InVain => "in vain",
            Outcome::Unfinished => "not finished",
        };
        return format!("{} times {mode}, iterations {first} to {last}: {what}", bar.number);
    }
    let story = bar.first.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let took = bar.first.seconds().map(duration).unwrap_or_default();
    let became = match &bar.first.end {
        None => "not finished".to_owned(),
        Some(end) => {
            let (_, status) = iteration_status(end.status, bar.first.verdict);
            format!("{status}, {took}, {}", cost(bar.first.cost()))
        }
    };
    let cut_off = if bar.first.cut_off_at.is_some() { "cut off, " } else { "" };
    format!("{} {mode}{story}: {cut_off}{became}", bar.first.number)
}

fn says(input: &Input<'_>, modes: &[IterationMode]) -> String {
    let parts = modes.iter().map(|mode| {
        let of_mode = input.history.iterations.iter().filter(|record| record.mode == *mode);
        let (mut all, mut stand) = (0, 0);
        of_mode.for_each(|record| {
            all += 1;
            stand += u64::from(stands(record));
        });
        format!("{all} times {mode}, {stand} of them accepted")
    });
    let parts: Vec<String> = parts.collect();
    format!("{}. Times are {}.", parts.join("; "), zone(input.offset))
}

fn key(modes: &[IterationMode], input: &Input<'_>) -> Html {
    let modes = modes.iter().map(|mode| (format!("{} stands", paint(*mode)), mode.to_string()));
    let mut outcomes = vec![
        ("other stands".to_owned(), "filled: accepted".to_owned()),
        ("other in-vain".to_owned(), "hollow: in vain".to_owned()),
    ];
    let is_unfinished = |record: &&IterationRecord| Outcome::of(record) == Outcome::Unfinished;
    let unfinished = input.history.iterations.iter().filter(is_unfinished);
    let (running, cut_off): (Vec<_>, Vec<_>) = unfinished
        .partition(|record| record.cut_off_at.is_none() && input.state == RunState::Running);
    let word = match (running.is_empty(), cut_off.is_empty()) {
        (true, true) => None,
        (true, false) => Some("cut off"),
        (false, true) => Some("runs"),
        (false, false) => Some("runs, or was cut off"),
    };
    let dashed = word.map(|word| ("other unfinished".to_owned(), format!("dashed: {word}")));
    outcomes.extend(dashed);
    legend(modes.chain(outcomes))
}

fn figures(input: &Input<'_>, modes: &[IterationMode]) -> Html {
    let columns =
        [Text("Mode"), Number("Iterations"), Number("Accepted"), Number("Time"), Number("Cost")];
    let rows = modes.iter().map(|mode| {
        let (mut all, mut stand, mut seconds, mut spent) = (0, 0, 0.0, None);
        for record in input.history.iterations.iter().filter(|record| record.mode == *mode) {
            all += 1;
            stand += u64::from(stands(record));
            seconds += record.seconds().map_or(0.0, finite);
            spent = record.cost().map(|usd| finite(usd) + spent.unwrap_or(0.0)).or(spent);
        }
        [
            mode.to_string().into(),
            Html::from(all),
            stand.into(),
            duration(seconds).into(),
            cost_cell(spent).into(),
        ]
    });
    let all = element("p")
        .add("Each of them is in the table of ")
        .add(element("a").attr("href", "#iterations").add("iterations"))
        .add(format!(" below. Times are {}.", zone(input.offset)));
    let table = element("div").add(table("Iterations by mode", &columns, rows)).add(all);
    folded("timeline-figures", "The figures as a table", table.into()).into()
}
