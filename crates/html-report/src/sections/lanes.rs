//! The lanes of a run over time: a row for each, with a bar for each step of a story and a mark for each merge.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use events::format::{cost_cell, duration};
use events::{IterationMode, LaneSpan, MergeResult, RunState, RunView, SpanKind, seconds};

use super::timeline::{Outcome, paint, tip_of};
use crate::PageInput;
use crate::chart::{self, ChartText, Times, WIDTH, figure, legend, line, rect};
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::{finite, when, zone};

const ROW: f64 = 46.0;
const BAR: f64 = 18.0;
/// The label of a story is above its bars.
const LABEL: f64 = 18.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 8.0;
/// The minimum visible width. Narrower bars of a lane that touch are drawn as one.
const THINNEST: f64 = 1.5;
/// An upper bound of the width of a character in a label.
const LETTER: f64 = 7.0;

/// One span, or several short ones.
struct Bar<'v> {
    row: usize,
    from: f64,
    to: f64,
    span: LaneSpan<'v>,
    number: u64,
    /// Paint and outcome.
    class: (&'static str, &'static str),
}

/// `None` for a run without lanes.
pub(super) fn lanes(input: &PageInput<'_>) -> Option<Html> {
    let spans = input.view.lane_spans();
    let first = spans.first()?;
    let until = input.view.last_event.unwrap_or(first.from);
    let moments = spans.iter().flat_map(|span| [span.from, span.to.unwrap_or(until)]);
    let times = Times::over(moments.chain([until]), LEFT, RIGHT);
    let lanes: Vec<u64> =
        spans.iter().map(|span| span.lane).collect::<BTreeSet<_>>().into_iter().collect();
    let bottom = TOP + ROW * lanes.len() as f64;
    let mut marks = times.axis(TOP, bottom, input.offset);
    for (row, lane) in lanes.iter().enumerate() {
        let name = chart::text(LEFT - 12.0, top_of(row) + BAR - 4.0, &format!("lane {lane}"));
        marks.push(name.class("name end").into());
    }
    let bars = bars(&spans, &lanes, &times, until);
    marks.extend(labels(&bars));
    marks.extend(bars.iter().map(|bar| bar_html(input, bar)));
    marks.extend(merge_marks(&spans, &lanes, &times));
    let words = ChartText {
        id: "lanes-chart",
        title: "Stories by lane",
        description: description(input, &lanes),
    };
    let beneath = element("div").add(key(&spans)).add(figures(input, &lanes, &spans, until));
    Some(figure(&words, bottom + 26.0, marks, beneath.into()))
}

/// The top of the bars.
fn top_of(row: usize) -> f64 {
    TOP + ROW * row as f64 + LABEL
}

fn bars<'v>(
    spans: &[LaneSpan<'v>],
    lanes: &[u64],
    times: &Times,
    until: DateTime<Utc>,
) -> Vec<Bar<'v>> {
    let mut bars: Vec<Bar<'v>> = Vec::new();
    for span in spans {
        let Some(row) = lanes.iter().position(|lane| *lane == span.lane) else { continue };
        let from = times.at(span.from);
        let to = times.at(span.to.unwrap_or(until)).max(from + THINNEST);
        if let Some(last) = bars.last_mut()
            && last.row == row
            && from <= last.to + 1.0
            && to - last.from < 2.0 * THINNEST
        {
            (last.to, last.number) = (to.max(last.to), last.number + 1);
            if last.class != class(span) {
                last.class = ("other", "filled");
            }
            continue;
        }
        bars.push(Bar { row, from, to, span: span.clone(), number: 1, class: class(span) });
    }
    bars
}

/// The id of each story where its bars begin, if the bars or the space behind them are wide enough.
fn labels(bars: &[Bar<'_>]) -> Vec<Html> {
    let mut labels = Vec::new();
    // Where the next label may begin.
    let mut free = BTreeMap::new();
    let mut before = None;
    for bar in bars {
        let Some(story) = bar.span.story.filter(|story| before != Some((bar.row, *story))) else {
            continue;
        };
        before = Some((bar.row, story));
        let end = bar.from + story.as_str().chars().count() as f64 * LETTER;
        if free.get(&bar.row).is_none_or(|free| *free <= bar.from) && end <= WIDTH {
            labels.push(chart::text(bar.from, top_of(bar.row) - 5.0, story.as_str()).into());
            free.insert(bar.row, end + LETTER);
        }
    }
    labels
}

fn class(span: &LaneSpan<'_>) -> (&'static str, &'static str) {
    match &span.kind {
        SpanKind::Iteration(record) => (paint_of(span), Outcome::of(record).class()),
        SpanKind::Merge(Some(MergeResult::Merged { .. })) => ("merge", "filled"),
        SpanKind::Merge(Some(MergeResult::Failed { .. })) => ("merge", "hollow"),
        SpanKind::Merge(None | Some(MergeResult::CutOff)) => ("merge", "unfinished"),
    }
}

fn paint_of(span: &LaneSpan<'_>) -> &'static str {
    match span.kind {
        SpanKind::Iteration(record) => paint(record.mode),
        SpanKind::Merge(_) => "merge",
    }
}

fn bar_html(input: &PageInput<'_>, bar: &Bar<'_>) -> Html {
    let (paint, outcome) = bar.class;
    let width = (bar.to - bar.from - 0.5).max(1.0);
    let bar_rect = rect(bar.from, top_of(bar.row), width, BAR);
    bar_rect.class(format!("{paint} {outcome}")).add(element("title").add(tip(input, bar))).into()
}

/// A line through the row where a merge ended; close ones are drawn once.
fn merge_marks(spans: &[LaneSpan<'_>], lanes: &[u64], times: &Times) -> Vec<Html> {
    let place = |span: &LaneSpan<'_>| {
        let class = match span.kind {
            SpanKind::Merge(Some(MergeResult::Merged { .. })) => "merged",
            SpanKind::Merge(Some(MergeResult::Failed { .. })) => "failed-ticks",
            _ => return None,
        };
        let row = lanes.iter().position(|lane| *lane == span.lane)?;
        Some((row, times.at(span.to?).round() as i64, class))
    };
    let places: BTreeSet<(usize, i64, &str)> = spans.iter().filter_map(place).collect();
    let mark = |(row, x, class): (usize, i64, &'static str)| {
        let (top, x) = (top_of(row), x as f64);
        line(x, top - 3.0, x, top + BAR + 5.0).class(class).into()
    };
    places.into_iter().map(mark).collect()
}

fn tip(input: &PageInput<'_>, bar: &Bar<'_>) -> String {
    let Bar { span, number, .. } = bar;
    if *number > 1 {
        return format!("{number} short steps");
    }
    let story = span.story.map(|story| format!(" {story}")).unwrap_or_default();
    let took = span.to.map_or("not finished".to_owned(), |to| duration(seconds(span.from, to)));
    match &span.kind {
        SpanKind::Iteration(record) => tip_of(record),
        SpanKind::Merge(Some(MergeResult::Merged { .. })) => {
            let at = when(span.to.unwrap_or(span.from), input.offset);
            format!("merge{story}: merged {at}, {took}")
        }
        SpanKind::Merge(Some(MergeResult::Failed { error })) => {
            format!("merge{story}: failed, {took}: {error}")
        }
        SpanKind::Merge(Some(MergeResult::CutOff)) => format!("merge{story}: cut off, {took}"),
        SpanKind::Merge(None) => format!("merge{story}: {took}"),
    }
}

fn merged(view: &RunView) -> usize {
    view.merges.iter().filter(|merge| merge.commit().is_some()).count()
}

fn description(input: &PageInput<'_>, lanes: &[u64]) -> String {
    let merged = match merged(input.view) {
        1 => "1 story was merged".to_owned(),
        merged => format!("{merged} stories were merged"),
    };
    let lanes =
        if lanes.len() == 1 { "1 lane".to_owned() } else { format!("{} lanes", lanes.len()) };
    format!("What {lanes} did over time; {merged}. Times are {}.", zone(input.offset))
}

fn key(spans: &[LaneSpan<'_>]) -> Html {
    let order = [
        IterationMode::Specify,
        IterationMode::Implement,
        IterationMode::Review,
        IterationMode::ReviewFix,
    ];
    let is_used = |paint: &str| spans.iter().any(|span| paint_of(span) == paint);
    let mut named: Vec<(String, String)> = order
        .into_iter()
        .filter(|mode| is_used(paint(*mode)))
        .map(|mode| (format!("{} filled", paint(mode)), mode.to_string()))
        .collect();
    if is_used("merge") {
        named.push((
            "merge filled".to_owned(),
            "merge; the line at its end is red if it failed".to_owned(),
        ));
    }
    for (outcome, what) in [("hollow", "hollow: failed"), ("unfinished", "dashed: not finished")] {
        if spans.iter().any(|span| class(span).1 == outcome) {
            named.push((format!("other {outcome}"), what.to_owned()));
        }
    }
    legend(named)
}

fn figures(
    input: &PageInput<'_>,
    lanes: &[u64],
    spans: &[LaneSpan<'_>],
    until: DateTime<Utc>,
) -> Html {
    let view = input.view;
    let columns = "Lane, #Merged stories, #Failed merges, #Iterations, #Time, #Cost";
    let rows = lanes.iter().map(|lane| {
        let of_lane = || spans.iter().filter(|span| span.lane == *lane);
        let merges = |class: fn(&MergeResult) -> bool| {
            let results = of_lane().filter_map(|span| match span.kind {
                SpanKind::Merge(result) => result,
                SpanKind::Iteration(_) => None,
            });
            results.filter(|result| class(result)).count() as u64
        };
        let records = || view.records.iter().filter(|record| record.lane == Some(*lane));
        let took = of_lane().map(|span| seconds(span.from, span.to.unwrap_or(until))).sum();
        let spent = records().filter_map(|record| record.cost()).map(finite);
        let spent = spent.fold(None, |sum: Option<f64>, usd| Some(sum.unwrap_or(0.0) + usd));
        [
            Html::from(*lane),
            merges(|result| matches!(result, MergeResult::Merged { .. })).into(),
            merges(|result| matches!(result, MergeResult::Failed { .. })).into(),
            (records().count() as u64).into(),
            duration(took).into(),
            cost_cell(spent).into(),
        ]
    });
    let table = table("Work by lane", columns, rows);
    let running = input.state == RunState::Running && view.merging().is_some();
    let queue: Vec<_> = view.merge_queue.iter().map(|queued| queued.story.to_string()).collect();
    let waiting = (!queue.is_empty()).then(|| {
        let after = if running { ", after the running merge" } else { "" };
        element("p").add(format!("Waiting to be merged{after}: {}.", queue.join(", ")))
    });
    element("div")
        .add(waiting)
        .add(folded("lanes-figures", "Show by lane as a table", table))
        .into()
}
