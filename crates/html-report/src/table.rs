//! Tables that say what they are of and scroll in a box of their own where a screen is narrow.

use crate::html::{Element, Html, element};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Text(&'static str),
    Number(&'static str),
}

/// A table with more rows scrolls in both directions: what comes after it stays within reach.
const MOST_ROWS: usize = 30;

/// More pieces than this are folded into one.
const MOST_LOOSE: usize = 12;

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
    // What scrolls must be reachable by keyboard, and then it needs a name.
    let scrolls = element("div").class(class).attr("tabindex", 0).attr("role", "region");
    scrolls.attr("aria-label", caption).add(table).into()
}

/// Behind a line that says what is there.
pub(crate) fn folded(
    key: impl std::fmt::Display,
    summary: impl Into<Html>,
    contents: Html,
) -> Element {
    // What a reader unfolded stays so when the live page takes in something new: the key says which.
    element("details").attr("data-key", key).add(element("summary").add(summary)).add(contents)
}

/// Pieces one below the other, or folded together where there are many.
pub(crate) fn loose(key: &'static str, what: &str, pieces: Vec<Html>) -> Html {
    if pieces.len() <= MOST_LOOSE {
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
