//! Tables in text files: a row per line, columns between ` | `, words between blanks. The first column names what the
//! row is for, `·` is a blank in a word, `-` an empty column.
//!
//! A table is searched, not parsed as a whole, because the guard starts before every command of a session.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;

pub(super) type Columns = Vec<Vec<&'static str>>;

/// The place of a table in memory, and a name.
type Key = (usize, String);

thread_local! {
    /// A script uses the same programs again and again.
    static KNOWN: RefCell<HashMap<Key, Rc<[Columns]>>> = RefCell::default();
}

/// The other columns of the rows for a name.
pub(super) fn rows_of(table: &'static str, name: &str) -> Rc<[Columns]> {
    let key = (table.as_ptr().addr(), name.to_owned());
    let known = KNOWN.with_borrow(|known| known.get(&key).cloned());
    known.unwrap_or_else(|| {
        let rows: Rc<[Columns]> = search(table, name).into();
        KNOWN.with_borrow_mut(|known| known.insert(key, Rc::clone(&rows)));
        rows
    })
}

fn search(table: &'static str, name: &str) -> Vec<Columns> {
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
    rows.collect()
}
