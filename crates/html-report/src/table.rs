//! Tables with a caption, which scroll horizontally on narrow screens.

use crate::html::{Element, Html, element};

/// A longer table also scrolls vertically.
const MOST_ROWS: usize = 30;

/// More pieces are folded into one.
const MOST_UNFOLDED: usize = 12;

/// `columns` are the names of the columns, with `#` before those of numbers. The first cell of a row is its heading.
pub(crate) fn table<Row>(caption: &str, columns: &str, rows: impl IntoIterator<Item = Row>) -> Html
where
    Row: IntoIterator<Item = Html>,
{
    let columns: Vec<&str> = columns.split(", ").collect();
    let heads = columns.iter().map(|column| {
        let head = aligned(element("th").attr("scope", "col"), column);
        head.add(column.trim_start_matches('#'))
    });
    let rows: Vec<Element> =
        rows.into_iter().map(|row| element("tr").add_all(cells(&columns, row))).collect();
    let class = if rows.len() > MOST_ROWS { "scroll tall" } else { "scroll" };
    let table = element("table")
        .add(element("caption").add(caption))
        .add(element("thead").add(element("tr").add_all(heads)))
        .add(element("tbody").add_all(rows));
    // A scrolling region must be focusable by keyboard and then needs a label.
    let scrolls = element("div").class(class).attr("tabindex", 0).attr("role", "region");
    scrolls.attr("aria-label", caption).add(table).into()
}

fn aligned(cell: Element, column: &str) -> Element {
    if column.starts_with('#') { cell.class("number") } else { cell }
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

fn cells(columns: &[&str], row: impl IntoIterator<Item = Html>) -> Vec<Element> {
    let cells = row.into_iter().zip(columns).enumerate().map(|(place, (cell, column))| {
        let kind = if place == 0 { element("th").attr("scope", "row") } else { element("td") };
        aligned(kind.add(cell), column)
    });
    cells.collect()
}
