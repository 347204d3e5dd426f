//! Cost and tokens over time as a line, with a line for the cost limit.

use chrono::{DateTime, Utc};
use events::format::{money, tokens};
use events::{IterationEnd, IterationRecord, OtherKind, OtherSession};

use crate::PageInput;
use crate::chart::{self, ChartText, Scale, Times, WIDTH, figure, line, number};
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::{all_tokens, finite, when, zone};

const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 200.0;
/// The number of table rows; a longer run is sampled.
const MOST_ROWS: usize = 60;

/// Cumulated values with their format.
struct Series {
    id: &'static str,
    title: &'static str,
    points: Vec<Point>,
    ceiling: Option<f64>,
    format_value: fn(f64) -> String,
}

/// The total after a session.
struct Point {
    at: DateTime<Utc>,
    after: String,
    spent: f64,
}

pub(super) fn cost_over_time(input: &PageInput<'_>) -> Html {
    let ceiling = input.view.start.as_ref().and_then(|start| start.ceiling_usd);
    let ceiling = ceiling.map(finite).filter(|usd| *usd > 0.0);
    let points = cost_points(input);
    over_time(
        input,
        &Series { id: "costs-line", title: "Cost so far", points, ceiling, format_value: money },
    )
}

pub(super) fn tokens_over_time(input: &PageInput<'_>) -> Html {
    let format_value = |count: f64| tokens(count as u64);
    let points = token_points(input);
    over_time(
        input,
        &Series { id: "tokens-line", title: "Tokens so far", points, ceiling: None, format_value },
    )
}

fn over_time(input: &PageInput<'_>, series: &Series) -> Html {
    let Series { id, title, points, ceiling, format_value } = series;
    let (Some(first), Some(last)) = (input.view.started, points.last()) else {
        return Html::default();
    };
    let most = points.iter().map(|point| point.spent).fold(ceiling.unwrap_or(0.0), f64::max);
    let scale = Scale::new(most * 1.05, BOTTOM, TOP);
    let moments = points.iter().map(|point| point.at).chain([first]);
    let times = Times::over(moments, LEFT, RIGHT);
    let mut marks = times.axis(TOP, BOTTOM, input.offset);
    for tick in scale.ticks() {
        let y = scale.at(tick);
        marks.push(line(LEFT, y, RIGHT, y).class("grid").into());
        marks.push(chart::text(LEFT - 8.0, y + 4.0, &format_value(tick)).class("tick end").into());
    }
    marks.push(element("path").class("cost").path_data(&path(points, &times, &scale)).into());
    if let Some(most) = *ceiling {
        let y = scale.at(most);
        marks.push(line(LEFT, y, RIGHT, y).class("ceiling").into());
        let name = format!("limit {}", format_value(most));
        marks.push(chart::text(RIGHT, y - 5.0, &name).class("tick end ceiling-name").into());
    }
    let of = ceiling.map(|most| format!(", of at most {}", format_value(most))).unwrap_or_default();
    let description = format!("{} after {}{of}.", format_value(last.spent), last.after);
    figure(&ChartText { id, title, description }, BOTTOM + 26.0, marks, figures(input, series))
}

fn cost_points(input: &PageInput<'_>) -> Vec<Point> {
    let of_record = |_: &IterationRecord, end: &IterationEnd| finite(end.total_cost_usd);
    let points = points(input, of_record, |other| finite(other.total_cost_usd));
    closed(input, points, finite(input.view.spent_usd()))
}

fn token_points(input: &PageInput<'_>) -> Vec<Point> {
    let of_record = |record: &IterationRecord, _: &IterationEnd| all_tokens(record.tokens) as f64;
    let mut points = points(input, of_record, |other| all_tokens(other.tokens) as f64);
    let mut so_far = 0.0;
    for point in &mut points {
        so_far += point.spent;
        point.spent = so_far;
    }
    closed(input, points, all_tokens(input.view.tokens) as f64)
}

/// One point for each ended session, oldest first.
fn points(
    input: &PageInput<'_>,
    of_record: impl Fn(&IterationRecord, &IterationEnd) -> f64,
    of_other: impl Fn(&OtherSession) -> f64,
) -> Vec<Point> {
    let ended = input.view.records.iter().filter_map(|record| {
        let end = record.end.as_ref()?;
        let after = format!("iteration {}", record.number);
        Some(Point { at: end.at, after, spent: of_record(record, end) })
    });
    let others = input.view.others.iter().map(|other| Point {
        at: other.ended_at,
        after: in_words(&other.kind),
        spent: of_other(other),
    });
    let mut points: Vec<Point> = ended.chain(others).collect();
    points.sort_by_key(|point| point.at);
    points
}

fn in_words(kind: &OtherKind) -> String {
    match kind {
        OtherKind::Quality(report) => format!("the quality check of {}", report.story),
        OtherKind::Compaction => "a compaction".to_owned(),
    }
}

/// Adds the cost of a session that is running or was cut off.
fn closed(input: &PageInput<'_>, mut points: Vec<Point>, in_all: f64) -> Vec<Point> {
    let shown = points.last().map_or(0.0, |last| last.spent);
    if let Some(at) = input.view.last_event.filter(|_| shown != in_all) {
        points.push(Point { at, after: "the last event".to_owned(), spent: in_all });
    }
    points
}

/// Steps, because the cost of an iteration is known at its end; points less than a pixel apart are merged.
fn path(points: &[Point], times: &Times, scale: &Scale) -> String {
    let before = points.first().map_or(0.0, |first| first.spent.min(0.0));
    let mut path = format!("M{} {}", number(LEFT), number(scale.at(before)));
    let mut last = (LEFT, f64::NAN);
    for (place, point) in points.iter().enumerate() {
        let (x, y) = (times.at(point.at), scale.at(point.spent));
        let is_last = place + 1 == points.len();
        if (x - last.0).abs() >= 1.0 || (y - last.1).abs() >= 1.0 || is_last {
            path.push_str(&format!("H{}V{}", number(x), number(y)));
            last = (x, y);
        }
    }
    path
}

fn figures(input: &PageInput<'_>, series: &Series) -> Html {
    let Series { id, title, points, format_value, .. } = series;
    let step = points.len().div_ceil(MOST_ROWS).max(1);
    // Always with the last point, which is the total.
    let rows = points.iter().rev().step_by(step).collect::<Vec<_>>().into_iter().rev();
    let rows = rows.map(|point| {
        [
            Html::from(&point.after),
            when(point.at, input.offset).into(),
            format_value(point.spent).into(),
        ]
    });
    let columns = format!("After, Ended, #{title}");
    let caption = match step {
        1 => format!("{title} (times are {})", zone(input.offset)),
        step => format!("{title}, every {step} sessions (times are {})", zone(input.offset)),
    };
    let id = format!("{id}-figures");
    folded(&id, "Show as a table", table(&caption, &columns, rows)).into()
}
