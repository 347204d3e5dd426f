//! Lays out the description of each event as lines that are not painted yet. Terminal, plain output and
//! session log share it.

use chrono::FixedOffset;
use events::describe::{Detail, Form, Mark, Span, Statement, describe, lane_tag};
use events::{LoopEvent, Stamped};
use sanitize::wrapped;
use unicode_width::UnicodeWidthStr;

use super::{Line, Look, Marks, Palette, Role, RunView, after};

mod closing;
mod story_table;
mod todo;
mod tool;

pub(crate) use story_table::{StoryTable, reviews, story_table};
use tool::ToolResult;

/// The number of lines in an excerpt of untrusted text.
const EXCERPT: usize = 6;

/// Renders events as lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineRenderer {
    pub(crate) look: Look,
    pub(crate) timestamps: bool,
    /// Whether to show the agent's text, tool calls and to-do list.
    pub(crate) agent_stream: bool,
    /// Limits for the output of a tool. 0 shows only its size.
    pub(crate) output_lines: usize,
    pub(crate) output_chars: usize,
    pub(crate) verbose: VerboseLines,
    /// The user's time zone.
    pub(crate) offset: FixedOffset,
}

/// The lines of `--verbose`, which begin with `[ralph]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerboseLines {
    None,
    /// Details among the other lines.
    Details,
    /// All lines: the other reporter writes to another stream.
    All,
}

/// `[ralph] text`, sanitized, on one line.
pub(crate) fn verbose_line(text: &str) -> String {
    format!("[ralph] {}", sanitize::line(text))
}

/// `[2 US-003] ` for an event of a lane, else empty.
pub(crate) fn lane_prefix(stamped: &Stamped, view: &RunView) -> Line {
    let tag = stamped.lane.zip(lane_tag(stamped, view));
    tag.map(|(lane, tag)| Line::text(Role::Lane(lane), format!("[{tag}] "))).unwrap_or_default()
}

/// Empty lines stay empty.
pub(crate) fn prefixed(prefix: &Line, lines: Vec<Line>) -> Vec<Line> {
    let with_prefix = |line: Line| match line.is_empty() {
        true => line,
        false => prefix.clone().append(line),
    };
    lines.into_iter().map(with_prefix).collect()
}

impl LineRenderer {
    /// No colours, no timestamps, everything the agent does, UTC.
    pub(crate) fn plain(marks: &'static Marks) -> Self {
        Self {
            look: Look { palette: Palette::plain(), marks, width: None },
            timestamps: false,
            agent_stream: true,
            output_lines: 10,
            output_chars: 1000,
            verbose: VerboseLines::None,
            offset: chrono::Offset::fix(&chrono::Utc),
        }
    }

    pub(crate) fn with_width(mut self, width: Option<usize>) -> Self {
        self.look.width = width;
        self
    }

    /// The painted lines for `stamped`, each with its time if timestamps are on, and with its lane.
    pub(crate) fn painted(&self, stamped: &Stamped, view: &RunView) -> String {
        let time = || stamped.at.with_timezone(&self.offset).format("[%H:%M:%S] ").to_string();
        let time = if self.timestamps { time() } else { String::new() };
        let prefix = Line::text(Role::Dim, time).append(lane_prefix(stamped, view));
        let width = self.look.width.map(|width| width.saturating_sub(prefix.width()));
        let lines = self.with_width(width).lines(stamped, view);
        self.look.paint(&prefixed(&prefix, lines))
    }

    /// The lines for `stamped`; `view` is the state before it.
    pub(crate) fn lines(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        match &stamped.event {
            LoopEvent::ToolStarted { name, summary, .. } if self.agent_stream => {
                self.tool_started(name, summary)
            }
            LoopEvent::ToolEnded { id, outcome, summary, output } if self.agent_stream => {
                let call = view.calls_in(stamped.lane).running(id);
                self.tool_ended(call, ToolResult { outcome: *outcome, summary, output })
            }
            LoopEvent::Todo { items } if self.agent_stream => {
                let iteration = view.iteration_in(stamped.lane);
                let before = iteration.and_then(|iteration| iteration.todo.as_ref());
                self.todo(items, before)
            }
            event => {
                let mut lines = self.statements(describe(stamped, view, self.offset));
                let ends = matches!(event, LoopEvent::RunEnded { .. });
                if ends && self.verbose != VerboseLines::All {
                    lines.extend(self.closing(&after(view, stamped)));
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
            let pieces = wrapped(&line, self.look.columns());
            return pieces.into_iter().map(|piece| Line::text(Role::Dim, piece)).collect();
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
                vec![if form == Form::Cut { self.look.cut(line) } else { line }]
            }
        }
    }

    fn span(&self, span: &Span) -> Line {
        match span {
            Span::Text(role, text) => Line::text(*role, text),
            Span::Mark(role, mark) => Line::text(*role, format!("{} ", self.look.marks.of(*mark))),
        }
    }

    /// The lines behind `start`, wrapped to the width.
    fn text_block(&self, start: Line, role: Role, lines: Vec<String>) -> Vec<Line> {
        let indent = start.width();
        let width = self.look.columns().saturating_sub(indent).max(20);
        let mut start = Some(start);
        let line = |text: &str| match (start.take(), text.is_empty()) {
            (Some(start), _) => start.with(role, text),
            (None, true) => Line::empty(),
            (None, false) => Line::indented(indent).with(role, text),
        };
        lines.iter().flat_map(|line| wrapped(line, width)).map(line).collect()
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
        let (comma, gap, below) = match statement.form {
            Form::List => (",", Line::indented(1), Line::indented(start.width())),
            _ => {
                let dot = Line::text(Role::Dim, format!(" {} ", self.look.marks.dot));
                ("", dot, Line::indented(4))
            }
        };
        let mut lines = Vec::new();
        let mut line = start;
        for (position, span) in statement.spans.iter().enumerate() {
            let is_last = position + 1 == statement.spans.len();
            let part = self.span(span).with(span.role(), if is_last { "" } else { comma });
            if position > 0 && line.width() + gap.width() + part.width() > self.look.columns() {
                lines.push(std::mem::replace(&mut line, below.clone()));
            } else if position > 0 {
                line = line.append(gap.clone());
            }
            line = line.append(part);
        }
        lines.push(line);
        // A heading contains a title of any length.
        match statement.mark {
            Some((_, Mark::Rule)) => lines.into_iter().map(|line| self.look.cut(line)).collect(),
            _ => lines,
        }
    }
}

#[cfg(test)]
mod tests;
