//! Tables in text that are searched for one name, not parsed as a whole, because the guard starts before every command
//! of a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::thread::LocalKey;

use memchr::{memmem, memrchr};

/// What was found for names, because a script uses the same programs again and again.
pub(crate) type Known<T> = RefCell<BTreeMap<String, T>>;

pub(crate) fn known<T: Clone>(
    known: &'static LocalKey<Known<T>>,
    name: &str,
    search: impl FnOnce(&str) -> T,
) -> T {
    known.with_borrow(|known| known.get(name).cloned()).unwrap_or_else(|| {
        let found = search(name);
        known.with_borrow_mut(|known| known.insert(name.to_owned(), found.clone()));
        found
    })
}

/// The places where a name begins in the first column of a table, whose names are separated by the first of these signs
/// and which ends with the second: where the line starts, what is before the name in it, and all that is after the name.
pub(crate) fn places_of(
    table: &'static str,
    name: &str,
    [between, end]: [char; 2],
) -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    let is_any = !name.is_empty();
    let found = is_any.then(|| memmem::find_iter(table.as_bytes(), name));
    found.into_iter().flatten().filter_map(move |at| {
        let start = memrchr(b'\n', table.get(..at)?.as_bytes()).map_or(0, |end| end + 1);
        let (before, after) = (table.get(start..at)?, table.get(at + name.len()..)?);
        let is_start = before.is_empty() || before.ends_with(between) && !before.contains(end);
        is_start.then_some((start, before, after))
    })
}
