//! The form of the policy tables: sections with a category, a reason and a way out, and rows that each table reads.

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

/// The rows of a table. A section without its own way out has that of the section before, if its category is the same.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let mut reason = Reason { category: Category::HiddenCode, why: "", instead: "" };
    let mut unless = "";
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(
        move |line| {
            if let Some((name, why)) = line.strip_prefix('[').and_then(|head| head.split_once("] "))
            {
                let category = Category::named(name)?;
                let instead = if category == reason.category { reason.instead } else { "" };
                (reason, unless) = (Reason { category, why, instead }, "");
            } else if let Some(instead) = line.strip_prefix("instead: ") {
                reason.instead = instead;
            } else if let Some(conditions) = line.strip_prefix("unless ") {
                unless = conditions;
            } else {
                return Some(Row { reason, unless, text: line });
            }
            None
        },
    )
}
