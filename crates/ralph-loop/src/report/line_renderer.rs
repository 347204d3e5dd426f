//! Lays out the description of each event as lines that are not painted yet. Terminal, plain output and
//! session log share it.

use chrono::FixedOffset;
use events::describe::{Detail, Form, Mark, Span, Statement, describe};
use events::{LoopEvent, Stamped};
use unicode_width::UnicodeWidthStr;

use super::{Line, Look, OutputLimits, Role, RunView, VerboseLines, verbose_line};
use crate::report::line::wrapped;

mod closing;
mod story_table;
mod todo;
mod tool;

pub(crate) use story_table::{StoryTable, reviews, story_table};
use tool::ToolResult;

/// The number of lines in an excerpt of untrusted text.
const EXCERPT: usize = 6;

/// Renders events as lines.
#[derive(Debug, Clone)]
pub(crate) struct LineRenderer {
    pub(crate) look: Look,
    pub(crate) agent_stream: bool,
    pub(crate) verbose: VerboseLines,
    pub(crate) output: OutputLimits,
    pub(crate) offset: FixedOffset,
}

impl LineRenderer {
    /// The lines for `stamped`; `view` is the state before it.
    pub(crate) fn lines(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        match &stamped.event {
            LoopEvent::ToolStarted { .. }
            | LoopEvent::ToolEnded { .. }
            | LoopEvent::Todo { .. }
                if !self.agent_stream =>
            {
                Vec::new()
            }
            LoopEvent::ToolStarted { name, summary, .. } => self.tool_started(name, summary),
            LoopEvent::ToolEnded { id, outcome, summary, output } => {
                let call = view.calls().running(id);
                self.tool_ended(call, ToolResult { outcome: *outcome, summary, output })
            }
            LoopEvent::Todo { items } => {
                let before = view.iteration().and_then(|iteration| iteration.todo.as_ref());
                self.todo(items, before)
            }
            event => {
                let mut lines = self.statements(describe(stamped, view, self.offset));
                if matches!(event, LoopEvent::RunEnded { .. }) && self.verbose != VerboseLines::All
                {
                    lines.extend(self.closing(stamped, view));
                }
                lines
            }
        }
    }

    fn statements(&self, statements: impl IntoIterator<Item = Statement>) -> Vec<Line> {
        let shown = statements.into_iter().filter(|statement| match statement.detail {
            Detail::Normal => true,
            Detail::Agent => self.agent_stream,
            Detail::Start => self.shows_starts(),
            Detail::Verbose => self.verbose != VerboseLines::None,
        });
        shown.flat_map(|statement| self.laid_out(&statement)).collect()
    }

    /// Whether the start of a tool call or check has a line. A terminal shows it in the status line.
    fn shows_starts(&self) -> bool {
        self.look.width.is_none()
    }

    fn laid_out(&self, statement: &Statement) -> Vec<Line> {
        if statement.detail == Detail::Verbose || self.verbose == VerboseLines::All {
            let words = statement.words();
            if words.trim().is_empty() {
                return Vec::new();
            }
            // Wrapped and not cut, so that commands can be copied.
            let line = verbose_line(&words);
            let pieces = wrapped(&line, self.look.width.unwrap_or(usize::MAX));
            return pieces.into_iter().map(|piece| Line::empty().with(Role::Dim, piece)).collect();
        }
        let marks = self.look.marks;
        let indented = Line::indented(2 * statement.depth);
        let start = match statement.mark {
            None => indented,
            Some((_, mark)) if statement.form == Form::Continued => {
                Line::indented(indented.width() + marks.of(mark).width() + 1)
            }
            Some((role, mark)) => {
                let is_same = statement.spans.first().is_some_and(|span| span.role() == role);
                let gap = if is_same { role } else { Role::Plain };
                indented.with(role, marks.of(mark)).with(gap, " ")
            }
        };
        match (statement.form, statement.spans.as_slice()) {
            (Form::Parts | Form::List, _) => self.flow(start, statement),
            (Form::Excerpt, [Span::Text(role, text)]) => {
                self.text_block(start, *role, self.excerpt(text))
            }
            (Form::Text | Form::Continued, [Span::Text(role, text)]) => {
                self.text_block(start, *role, sanitize::block(text))
            }
            (form, spans) => {
                let line = spans.iter().fold(start, |line, span| line.append(self.span(span)));
                vec![if form == Form::Cut { self.one_line(line) } else { line }]
            }
        }
    }

    fn span(&self, span: &Span) -> Line {
        match span {
            Span::Text(role, text) => Line::empty().with(*role, text),
            Span::Mark(role, mark) => {
                Line::empty().with(*role, format!("{} ", self.look.marks.of(*mark)))
            }
        }
    }

    /// The lines behind `start`, wrapped to the width.
    fn text_block(&self, start: Line, role: Role, lines: Vec<String>) -> Vec<Line> {
        let indent = start.width();
        let wrap = |line: &String| match self.look.width {
            Some(width) => {
                let pieces = wrapped(line, width.saturating_sub(indent).max(20));
                pieces.into_iter().map(str::to_owned).collect()
            }
            None => vec![line.clone()],
        };
        let mut start = Some(start);
        let line = |text: String| match (start.take(), text.is_empty()) {
            (Some(start), _) => start.with(role, text),
            (None, true) => Line::empty(),
            (None, false) => Line::indented(indent).with(role, text),
        };
        lines.iter().flat_map(wrap).map(line).collect()
    }

    /// The first lines of untrusted text.
    fn excerpt(&self, text: &str) -> Vec<String> {
        let mut lines = sanitize::block(text);
        let rest = lines.len().saturating_sub(EXCERPT);
        if rest > 1 {
            lines.truncate(EXCERPT);
            lines.push(format!("{} {rest} more lines", self.look.marks.ellipsis));
        }
        lines
    }

    /// The parts on one line, or on several if the width is too small.
    fn flow(&self, start: Line, statement: &Statement) -> Vec<Line> {
        let width = self.look.width.unwrap_or(usize::MAX);
        let (comma, gap, below) = match statement.form {
            Form::List => (",", Line::indented(1), Line::indented(start.width())),
            _ => {
                let dot = Line::empty().with(Role::Dim, format!(" {} ", self.look.marks.dot));
                ("", dot, Line::indented(4))
            }
        };
        let mut lines = Vec::new();
        let mut line = start;
        for (position, span) in statement.spans.iter().enumerate() {
            let is_last = position + 1 == statement.spans.len();
            let part = self.span(span).with(span.role(), if is_last { "" } else { comma });
            if position > 0 && line.width() + gap.width() + part.width() > width {
                lines.push(std::mem::replace(&mut line, below.clone()));
            } else if position > 0 {
                line = line.append(gap.clone());
            }
            line = line.append(part);
        }
        lines.push(line);
        // A heading contains a title of any length.
        let is_heading = matches!(statement.mark, Some((_, Mark::Rule)));
        let cut = |line| if is_heading { self.one_line(line) } else { line };
        lines.into_iter().map(cut).collect()
    }

    /// Cut to the width, if there is one.
    fn one_line(&self, line: Line) -> Line {
        match self.look.width {
            Some(width) => line.cut(width, self.look.marks.ellipsis),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests;
