//! Tables with a caption, which scroll horizontally on narrow screens.

use crate::html::{Element, Html, element};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Text(&'static str),
    Number(&'static str),
}

/// A longer table also scrolls vertically.
const MOST_ROWS: usize = 30;

/// More pieces are folded into one.
const MOST_UNFOLDED: usize = 12;

/// The first cell of a row is its heading.
pub(crate) fn table<Row>(
    caption: &str,
    columns: &[Column],
    rows: impl IntoIterator<Item = Row>,
) -> Html
where
    Row: IntoIterator<Item = Html>,
{
    let heads = columns.iter().map(|column| match column {
        Column::Text(name) => element("th").attr("scope", "col").add(*name),
        Column::Number(name) => element("th").attr("scope", "col").class("number").add(*name),
    });
    let rows: Vec<Element> =
        rows.into_iter().map(|row| element("tr").add_all(cells(columns, row))).collect();
    let class = if rows.len() > MOST_ROWS { "scroll tall" } else { "scroll" };
    let table = element("table")
        .add(element("caption").add(caption))
        .add(element("thead").add(element("tr").add_all(heads)))
        .add(element("tbody").add_all(rows));
    // A scrolling region must be focusable by keyboard and then needs a label.
    let scrolls = element("div").class(class).attr("tabindex", 0).attr("role", "region");
    scrolls.attr("aria-label", caption).add(table).into()
}

/// A collapsed element with a summary.
pub(crate) fn folded(
    key: impl std::fmt::Display,
    summary: impl Into<Html>,
    contents: Html,
) -> Element {
    // By the key, the live page keeps the element open when it replaces a section.
    element("details").attr("data-key", key).add(element("summary").add(summary)).add(contents)
}

/// The pieces, collapsed together if there are many.
pub(crate) fn list_or_fold(key: &'static str, what: &str, pieces: Vec<Html>) -> Html {
    if pieces.len() <= MOST_UNFOLDED {
        return element("div").add_all(pieces).into();
    }
    let summary = format!("{what} ({})", pieces.len());
    folded(key, summary, element("div").add_all(pieces).into()).into()
}

fn cells<'c>(
    columns: &'c [Column],
    row: impl IntoIterator<Item = Html> + 'c,
) -> impl Iterator<Item = Element> + 'c {
    row.into_iter().zip(columns).enumerate().map(|(place, (cell, column))| {
        let cell = match place {
            0 => element("th").attr("scope", "row").add(cell),
            _ => element("td").add(cell),
        };
        match column {
            Column::Text(_) => cell,
            Column::Number(_) => cell.class("number"),
        }
    })
}
