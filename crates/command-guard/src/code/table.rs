//! Tables in text files: a row per line, columns between ` | `, words between blanks. The first column names what the
//! row is for, `·` is a blank in a word, `-` an empty column.
//!
//! A table is searched, not parsed as a whole, because the guard starts before every command of a session.

use memchr::memmem;

pub(super) type Columns = Vec<Vec<&'static str>>;

/// The other columns of the rows for a name.
pub(super) fn rows_of(table: &'static str, name: &str) -> impl Iterator<Item = Columns> {
    let found = memmem::find_iter(table.as_bytes(), name).filter(|_| !name.is_empty());
    let rows = found.filter_map(|at| {
        let start = table.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let (names, columns) = table.get(start..)?.lines().next()?.split_once(" | ")?;
        let (before, after) = (names.get(..at - start)?, names.get(at - start + name.len()..)?);
        let is_whole = (before.is_empty() || before.ends_with(' '))
            && (after.is_empty() || after.starts_with(' '));
        let words = |column: &'static str| column.split(' ').filter(|&word| word != "-").collect();
        is_whole.then(|| columns.split(" | ").map(words).collect())
    });
    rows.collect::<Vec<_>>().into_iter()
}
