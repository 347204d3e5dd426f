//! The stream panel: the agent's output as lines, limited in number.

mod event_lines;

use std::collections::VecDeque;

use chrono::FixedOffset;
use events::{Role, RunView, Stamped};

use crate::search::Search;

/// Older lines are in `session.log`.
const MOST_LINES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamLine {
    pub(crate) role: Role,
    pub(crate) begins: Begins,
    /// Indentation, also of wrapped lines.
    pub(crate) indent: u16,
    pub(crate) text: String,
}

/// Marks the first line of a step or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    Nothing,
    /// A tool call or another step.
    Step,
    Answer,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct AgentStream {
    lines: VecDeque<StreamLine>,
    /// The number of dropped lines, which is the number of the first kept one.
    pub(crate) dropped: u64,
}

impl AgentStream {
    pub(crate) const fn new() -> Self {
        Self { lines: VecDeque::new(), dropped: 0 }
    }

    /// `view` is the state before the event.
    pub(crate) fn apply(&mut self, stamped: &Stamped, view: &RunView, offset: FixedOffset) {
        self.lines.extend(event_lines::event_lines(stamped, view, offset));
        let excess = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..excess);
        self.dropped += excess as u64;
    }

    /// The number after the last line.
    pub(crate) fn end(&self) -> u64 {
        self.dropped + self.lines.len() as u64
    }

    /// The last lines that are not empty, oldest first.
    pub(crate) fn last_lines(&self, most: usize) -> impl Iterator<Item = &StreamLine> {
        let mut last: Vec<_> =
            self.lines.iter().rev().filter(|line| !line.text.is_empty()).take(most).collect();
        last.reverse();
        last.into_iter()
    }

    pub(crate) fn line(&self, number: u64) -> Option<&StreamLine> {
        let at = usize::try_from(number.checked_sub(self.dropped)?).ok()?;
        self.lines.get(at)
    }

    /// The nearest match before or after `from`; wraps around.
    pub(crate) fn find(
        &self,
        search: &Search,
        from: u64,
        direction: SearchDirection,
    ) -> Option<u64> {
        let (first, end) = (self.dropped, self.end());
        let from = from.clamp(first, end);
        let has = |number: &u64| self.line(*number).is_some_and(|line| search.is_in(&line.text));
        match direction {
            SearchDirection::Later => (from + 1..end).chain(first..from + 1).find(has),
            SearchDirection::Earlier => (first..from).rev().chain((from..end).rev()).find(has),
        }
    }

    /// The number of lines that fill `rows` rows, from `last` upwards.
    pub(crate) fn lines_up_from(&self, last: u64, width: usize, rows: usize) -> u64 {
        self.filling((self.dropped..=last).rev(), width, rows)
    }

    /// The same from `first` downwards.
    pub(crate) fn lines_down_from(&self, first: u64, width: usize, rows: usize) -> u64 {
        self.filling(first..self.end(), width, rows)
    }

    fn filling(&self, numbers: impl Iterator<Item = u64>, width: usize, rows: usize) -> u64 {
        let (mut used, mut lines) = (0, 0);
        for number in numbers {
            used += self.line(number).map_or(1, |line| line.rows(width).len());
            if used > rows {
                break;
            }
            lines += 1;
        }
        lines
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchDirection {
    Earlier,
    Later,
}

impl StreamLine {
    fn new(role: Role, indent: u16, text: impl Into<String>) -> Self {
        Self { role, begins: Begins::Nothing, indent, text: text.into() }
    }

    /// Wrapped to `width` columns.
    pub(crate) fn rows(&self, width: usize) -> Vec<&str> {
        sanitize::wrapped(&self.text, width.saturating_sub(usize::from(self.indent)).max(1))
    }
}

#[cfg(test)]
mod tests;
