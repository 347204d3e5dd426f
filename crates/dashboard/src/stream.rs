//! What the agent says and does, line by line, as much of it as anybody scrolls back.

mod telling;

use std::collections::{BTreeMap, VecDeque};

use engine::{LoopEvent, TodoItem};
use events::Role;

use crate::search::Search;

/// Older ones are in `session.log`.
const MOST_LINES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamLine {
    pub(crate) role: Role,
    pub(crate) begins: Begins,
    /// Columns that it stands in from the left, also where it is wrapped.
    pub(crate) indent: u16,
    pub(crate) text: String,
}

/// What a line is the first one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    Nothing,
    /// A call of a tool, or another step.
    Step,
    Answer,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    lines: VecDeque<StreamLine>,
    /// Lines that were there and are not kept.
    dropped: u64,
    /// Calls without an answer, by their ids.
    calls: BTreeMap<String, Call>,
    last_call: Option<String>,
    todo: Vec<TodoItem>,
}

#[derive(Debug, Clone)]
struct Call {
    name: String,
    summary: String,
}

impl Stream {
    pub(crate) fn apply(&mut self, event: &LoopEvent) {
        for line in self.told(event) {
            self.lines.push_back(line);
        }
        let excess = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..excess);
        self.dropped += excess as u64;
    }

    /// The first line that is kept, counted from the first that ever was.
    pub(crate) fn first(&self) -> u64 {
        self.dropped
    }

    /// One after the last.
    pub(crate) fn end(&self) -> u64 {
        self.dropped + self.lines.len() as u64
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn line(&self, number: u64) -> Option<&StreamLine> {
        let at = usize::try_from(number.checked_sub(self.dropped)?).ok()?;
        self.lines.get(at)
    }

    /// The nearest line before or after `from` that has what is looked for, around the end if need be.
    pub(crate) fn find(&self, search: &Search, from: u64, towards: Towards) -> Option<u64> {
        let (first, end) = (self.first(), self.end());
        let from = from.clamp(first, end);
        let has = |number: &u64| self.line(*number).is_some_and(|line| search.is_in(&line.text));
        match towards {
            Towards::Later => (from + 1..end).chain(first..from + 1).find(has),
            Towards::Earlier => (first..from).rev().chain((from..end).rev()).find(has),
        }
    }

    /// How many lines fill `rows` rows, from `last` upwards.
    pub(crate) fn lines_up_from(&self, last: u64, width: usize, rows: usize) -> u64 {
        self.filling((self.first()..=last).rev(), width, rows)
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
pub(crate) enum Towards {
    Earlier,
    Later,
}

impl StreamLine {
    fn new(role: Role, indent: u16, text: impl Into<String>) -> Self {
        Self { role, begins: Begins::Nothing, indent, text: text.into() }
    }

    fn beginning(self, begins: Begins) -> Self {
        Self { begins, ..self }
    }

    /// As it stands in `width` columns.
    pub(crate) fn rows(&self, width: usize) -> Vec<&str> {
        sanitize::wrapped(&self.text, width.saturating_sub(usize::from(self.indent)).max(1))
    }
}

#[cfg(test)]
mod tests;
