//! Tables in text files: a row per line, columns between ` | `, words between blanks. The first column names what the
//! row is for, `·` is a blank in a word, `-` an empty column.

use std::rc::Rc;

use crate::searched_table::places_of;

#[derive(Debug)]
pub(super) struct Row {
    /// The subcommand that it is for.
    pub(super) verb: Option<&'static str>,
    pub(super) columns: Vec<Vec<&'static str>>,
}

/// The rows for a program and for its subcommands.
pub(super) fn rows_of(table: &'static str, name: &str) -> Rc<[Row]> {
    let rows = places_of(table, name, [' ', '|']).filter_map(|(_, _, after)| {
        let (names, columns) = after.lines().next()?.split_once(" | ")?;
        let end = names.split(' ').next()?;
        let verb = end.strip_prefix('·');
        let words = |column: &'static str| column.split(' ').filter(|&word| word != "-").collect();
        let row = || Row { verb, columns: columns.split(" | ").map(words).collect() };
        (end.is_empty() || verb.is_some()).then(row)
    });
    rows.collect()
}
