//! What was done on each day, as columns and as a table.

use events::Figures;
use events::format::cost_cell;

use super::{MOST_ROWS, more};
use crate::StatisticsInput;
use crate::chart::{ChartText, Scale, WIDTH, figure, line, rect, text};
use crate::html::{Html, element};
use crate::sections::{quiet, section};
use crate::table::table;

/// Days in the chart; the table has more.
const MOST_COLUMNS: usize = 60;
const LEFT: f64 = 40.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 170.0;
/// Wider columns would look like areas.
const WIDEST: f64 = 40.0;
/// Space for a date below its column.
const LABEL: f64 = 80.0;

pub(super) fn days(input: &StatisticsInput<'_>) -> Html {
    let section = section("days", "Days");
    let days: Vec<(&String, &Figures)> = input.statistics.days.iter().rev().collect();
    if days.is_empty() {
        return section.add(quiet("Nothing happened yet.")).into();
    }
    let rows = days.iter().take(MOST_ROWS).map(|(day, one)| {
        [
            Html::from(day.as_str()),
            one.stories_done.into(),
            one.iterations.into(),
            one.failed.into(),
            cost_cell(one.cost_usd).into(),
        ]
    });
    let columns = "Day, #Stories done, #Iterations, #Failed, #Cost";
    let table = table("By day, latest first", columns, rows);
    let mut shown: Vec<_> = days.iter().copied().take(MOST_COLUMNS).collect();
    shown.reverse();
    section.add(chart(&shown)).add(table).add(more(days.len())).into()
}

/// One column for each day on which a run worked.
fn chart(days: &[(&String, &Figures)]) -> Html {
    let most = days.iter().map(|(_, one)| one.stories_done).max().unwrap_or_default();
    let scale = Scale::new(most as f64, BOTTOM, TOP);
    let mut marks = Vec::new();
    for tick in scale.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
        let y = scale.at(tick);
        marks.push(line(LEFT, y, WIDTH, y).class("grid").into());
        marks.push(text(LEFT - 8.0, y + 4.0, &tick.to_string()).class("tick end").into());
    }
    let step = (WIDTH - LEFT) / days.len() as f64;
    let width = (step * 0.8).min(WIDEST);
    let every = (LABEL / step).ceil().max(1.0) as usize;
    for (place, (day, one)) in days.iter().enumerate() {
        let middle = LEFT + step * (place as f64 + 0.5);
        let top = scale.at(one.stories_done as f64);
        let tip = element("title").add(format!("{day}: {} done", one.stories_done));
        let column = rect(middle - width / 2.0, top, width, BOTTOM - top).class("bar");
        marks.push(column.add(tip).into());
        if place % every == 0 {
            marks.push(text(middle, BOTTOM + 16.0, day).class("tick middle").into());
        }
    }
    let parts: Vec<String> =
        days.iter().map(|(day, one)| format!("{day} {}", one.stories_done)).collect();
    let words = ChartText {
        id: "days-columns",
        title: "Stories done on the days on which a run worked",
        description: format!("{}.", parts.join(", ")),
    };
    figure(&words, BOTTOM + 26.0, marks, Html::default())
}
