//! The form of the policy tables: sections with a category, a reason and a way out, and rows that each table reads.
//!
//! A table is not parsed as a whole, because the guard starts before every command of a session.

use memchr::memmem;

use crate::Category;

/// Why something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) category: Category,
    pub(crate) why: &'static str,
    pub(crate) instead: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) reason: Reason,
    /// The conditions of the section under which it does not apply.
    pub(crate) unless: &'static str,
    pub(crate) text: &'static str,
}

/// All rows of a table.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let heads = memmem::find_iter(table.as_bytes(), "\n[");
    heads.flat_map(|at| {
        let section = table.get(at + 1..).unwrap_or_default();
        let lines = section.lines().take_while(|line| !line.is_empty());
        lines.filter_map(move |text| row(section, text))
    })
}

/// The rows that begin with this name, alone or as one of several: `a|name|b …`.
pub(crate) fn rows_of(table: &'static str, name: &str) -> Vec<Row> {
    let found = memmem::find_iter(table.as_bytes(), name).filter_map(|at| {
        let line_start = table.get(..at)?.rfind('\n')? + 1;
        let before = table.get(line_start..at)?;
        let after = table.get(at + name.len()..)?;
        let is_whole = before.is_empty() || before.ends_with('|') && !before.contains(' ');
        if !is_whole || !after.starts_with(['|', ' ', '\n']) {
            return None;
        }
        let head = table.get(..line_start)?.rfind("\n[")? + 1;
        row(table.get(head..)?, table.get(line_start..)?.lines().next()?)
    });
    if name.is_empty() { Vec::new() } else { found.collect() }
}

/// A line of a section, if it is a row.
fn row(section: &'static str, text: &'static str) -> Option<Row> {
    let mut lines = section.lines();
    let (name, why) = lines.next()?.strip_prefix('[')?.split_once("] ")?;
    let instead = lines.next()?.strip_prefix("instead: ")?;
    let unless = lines.next()?.strip_prefix("unless ").unwrap_or_default();
    let is_row = !text.starts_with(['[', '#'])
        && !text.starts_with("instead: ")
        && !text.starts_with("unless ");
    let reason = Reason { category: Category::named(name)?, why, instead };
    is_row.then_some(Row { reason, unless, text })
}
