//! What the run has cost up to each moment, in money and in tokens, as a line; a ceiling is another.

use chrono::{DateTime, Utc};
use events::OtherKind;
use events::words::{money, tokens};

use crate::Input;
use crate::chart::{self, Scale, Times, WIDTH, Words, figure, line, number};
use crate::html::{Html, element};
use crate::table::Column::{Number, Text};
use crate::table::{folded, table};
use crate::tally::{all_tokens, finite, when, zone};

const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 200.0;
/// Points that a table has; a longer run is told in steps.
const MOST_ROWS: usize = 60;

/// What was spent up to some moments, and how that is said.
struct Series {
    id: &'static str,
    title: &'static str,
    points: Vec<Point>,
    ceiling: Option<f64>,
    say: fn(f64) -> String,
}

/// After a session, and what was spent then.
struct Point {
    at: DateTime<Utc>,
    after: String,
    spent: f64,
}

pub(super) fn cost_over_time(input: &Input<'_>) -> Html {
    let ceiling = input.history.view.start.as_ref().and_then(|start| start.ceiling_usd);
    let ceiling = ceiling.map(finite).filter(|usd| *usd > 0.0);
    let points = cost_points(input);
    over_time(
        input,
        &Series { id: "costs-line", title: "Cost so far", points, ceiling, say: money },
    )
}

pub(super) fn tokens_over_time(input: &Input<'_>) -> Html {
    let say = |count: f64| tokens(count as u64);
    let points = token_points(input);
    over_time(
        input,
        &Series { id: "tokens-line", title: "Tokens so far", points, ceiling: None, say },
    )
}

fn over_time(input: &Input<'_>, series: &Series) -> Html {
    let Series { id, title, points, ceiling, say } = series;
    let (Some(first), Some(last)) = (input.history.started, points.last()) else {
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
        marks.push(chart::text(LEFT - 8.0, y + 4.0, &say(tick)).class("tick end").into());
    }
    marks.push(element("path").class("cost").drawn(&path(points, &times, &scale)).into());
    if let Some(most) = *ceiling {
        let y = scale.at(most);
        marks.push(line(LEFT, y, RIGHT, y).class("ceiling").into());
        let name = format!("ceiling {}", say(most));
        marks.push(chart::text(RIGHT, y - 5.0, &name).class("tick end ceiling-name").into());
    }
    let of = ceiling.map(|most| format!(", of at most {}", say(most))).unwrap_or_default();
    let says = format!("{} after {}{of}.", say(last.spent), last.after);
    figure(&Words { id, title, says }, BOTTOM + 26.0, marks, figures(input, series))
}

fn cost_points(input: &Input<'_>) -> Vec<Point> {
    let history = input.history;
    let ended = history.iterations.iter().filter_map(|record| {
        let end = record.end.as_ref()?;
        let after = format!("iteration {}", record.number);
        Some(Point { at: end.at, after, spent: finite(end.total_cost_usd) })
    });
    let others = history.others.iter().map(|other| Point {
        at: other.ended_at,
        after: in_words(&other.kind),
        spent: finite(other.total_cost_usd),
    });
    let mut points: Vec<Point> = ended.chain(others).collect();
    points.sort_by_key(|point| point.at);
    closed(input, points, finite(history.view.spent_usd()))
}

fn token_points(input: &Input<'_>) -> Vec<Point> {
    let history = input.history;
    let ended = history.iterations.iter().filter_map(|record| {
        let end = record.end.as_ref()?;
        let spent = all_tokens(record.tokens()) as f64;
        Some(Point { at: end.at, after: format!("iteration {}", record.number), spent })
    });
    let others = history.others.iter().map(|other| Point {
        at: other.ended_at,
        after: in_words(&other.kind),
        spent: all_tokens(other.tokens) as f64,
    });
    let mut points: Vec<Point> = ended.chain(others).collect();
    points.sort_by_key(|point| point.at);
    let mut so_far = 0.0;
    for point in &mut points {
        so_far += point.spent;
        point.spent = so_far;
    }
    closed(input, points, all_tokens(history.tokens) as f64)
}

fn in_words(kind: &OtherKind) -> String {
    match kind {
        OtherKind::Quality(story) => format!("the look at the quality of {story}"),
        OtherKind::Compaction => "a compaction".to_owned(),
    }
}

/// What runs, or was cut off, has its share as well.
fn closed(input: &Input<'_>, mut points: Vec<Point>, in_all: f64) -> Vec<Point> {
    let told = points.last().map_or(0.0, |last| last.spent);
    if let Some(at) = input.history.last_event.filter(|_| told != in_all) {
        points.push(Point { at, after: "the last event".to_owned(), spent: in_all });
    }
    points
}

/// Steps: what an iteration costs is known at its end. As many points as can be told apart.
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

fn figures(input: &Input<'_>, series: &Series) -> Html {
    let Series { id, title, points, say, .. } = series;
    let step = points.len().div_ceil(MOST_ROWS).max(1);
    // The last one always, since it is the sum.
    let rows = points.iter().rev().step_by(step).collect::<Vec<_>>().into_iter().rev();
    let rows = rows.map(|point| {
        [Html::from(&point.after), when(point.at, input.offset).into(), say(point.spent).into()]
    });
    let columns = [Text("After"), Text("Ended"), Number(title)];
    let caption = match step {
        1 => format!("{title} (times are {})", zone(input.offset)),
        step => format!("{title}, every {step} sessions (times are {})", zone(input.offset)),
    };
    let id = format!("{id}-figures");
    folded(&id, "The figures as a table", table(&caption, &columns, rows)).into()
}
