//! The form of the policy tables: sections with a category, a reason and a way out, and rows that each table reads.
//!
//! A table is not parsed as a whole, because the guard starts before every command of a session.

use memchr::{memmem, memrchr_iter};

use crate::Category;
use crate::searched_table::places_of;

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
    let sections = heads.filter_map(|at| table.get(at + 1..));
    let sections = sections.filter_map(|section| Some((section, head(section)?)));
    sections.flat_map(|(section, head)| {
        let lines = section.lines().take_while(|line| !line.is_empty()).filter(is_row);
        lines.map(move |text| Row { text, ..head })
    })
}

/// The rows that begin with this name, alone or as one of several: `a|name|b …`.
pub(crate) fn rows_of(table: &'static str, name: &str) -> impl Iterator<Item = Row> {
    places_of(table, name, ['|', ' ']).filter_map(|(start, _, after)| {
        if !after.starts_with(['|', ' ', '\n']) {
            return None;
        }
        let before = &table.as_bytes()[..start];
        let head = memrchr_iter(b'[', before).find(|at| before[..*at].ends_with(b"\n"))?;
        let text = table.get(start..)?.lines().next().filter(is_row)?;
        Some(Row { text, ..self::head(table.get(head..)?)? })
    })
}

/// A section without a row.
fn head(section: &'static str) -> Option<Row> {
    let mut lines = section.lines();
    let (name, why) = lines.next()?.strip_prefix('[')?.split_once("] ")?;
    let instead = lines.next()?.strip_prefix("instead: ")?;
    let unless = lines.next()?.strip_prefix("unless ").unwrap_or_default();
    let reason = Reason { category: Category::named(name)?, why, instead };
    Some(Row { reason, unless, text: "" })
}

fn is_row(line: &&str) -> bool {
    !line.starts_with(['[', '#']) && !line.starts_with("instead: ") && !line.starts_with("unless ")
}
