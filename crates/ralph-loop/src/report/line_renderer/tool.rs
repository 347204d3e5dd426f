//! Lines about tool calls and their results.
//!
//! Without a status line, a call and its result have one line each, and the result names the call. With a
//! status line, which shows running calls, both share one line.

use events::{ToolOutcome, ToolOutput, ToolView};
use sanitize::wrapped;

use super::LineRenderer;
use crate::report::{Line, Role, count};

/// The minimum width of a call's input.
const INPUT: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct ToolResult<'a> {
    pub(super) outcome: ToolOutcome,
    pub(super) summary: &'a str,
    pub(super) output: &'a ToolOutput,
}

impl ToolResult<'_> {
    /// `ok`, unless the call failed.
    fn role(&self, ok: Role) -> Role {
        match self.outcome {
            ToolOutcome::Ok => ok,
            ToolOutcome::Failed => Role::Bad,
        }
    }

    /// `45 lines, 1234 chars`, with `format` around it; empty without output.
    fn size(&self, format: impl Fn(String) -> String) -> Line {
        let ToolOutput { lines, chars, .. } = *self.output;
        let size = format!("{}, {}", count(lines, "line", "lines"), count(chars, "char", "chars"));
        Line::text(Role::Dim, if lines > 0 { format(size) } else { String::new() })
    }
}

/// The part of a result within the limits, and how much was omitted.
struct Excerpt {
    lines: Vec<String>,
    omitted: Option<String>,
}

impl LineRenderer {
    /// `  → Read(src/lib.rs)`
    pub(super) fn tool_started(&self, name: &str, input: &str) -> Vec<Line> {
        if !self.shows_starts() {
            return Vec::new();
        }
        let arrow = Line::indented(2).with(Role::Dim, self.look.marks.arrow);
        let arrow = arrow.with(Role::Plain, " ");
        vec![self.call(arrow, Role::Accent, (name, input), Line::empty())]
    }

    pub(super) fn tool_ended(&self, call: Option<&ToolView>, result: ToolResult<'_>) -> Vec<Line> {
        let marks = self.look.marks;
        let mark = match result.outcome {
            ToolOutcome::Ok => marks.ok,
            ToolOutcome::Failed => marks.failed,
        };
        let head = Line::indented(2).with(result.role(Role::Good), mark).with(Role::Plain, " ");
        let shown = self.shown(result);
        let (name, input) =
            call.map_or(("tool", ""), |call| (call.name.as_str(), call.summary.as_str()));
        let accent = result.role(Role::Accent);
        let line = if self.shows_starts() {
            // `  ✅ Result → Read (45 lines, 1234 chars)`
            let is_concurrent = call.is_some_and(|call| call.concurrent);
            let head = head.with(result.role(Role::Plain), "Result");
            let head = head.with(Role::Dim, format!(" {} ", marks.arrow));
            let input = if is_concurrent { input } else { "" };
            self.call(head, accent, (name, input), result.size(|size| format!(" ({size})")))
        } else if let Some(line) = self.on_one_line(&head, (name, input), result, &shown) {
            return vec![line];
        } else {
            let size = result.size(|size| format!(" {} {size}", marks.arrow));
            self.call(head, accent, (name, input), size)
        };
        let below = self.output_lines(&shown, result);
        std::iter::once(line).chain(below).collect()
    }

    /// `  ✅ Bash(pwd) → /home/me/shop`, if the result is one line. The input and a successful result may
    /// be cut, an error may not.
    fn on_one_line(
        &self,
        head: &Line,
        (name, input): (&str, &str),
        result: ToolResult<'_>,
        shown: &Excerpt,
    ) -> Option<Line> {
        let ([text], None) = (shown.lines.as_slice(), &shown.omitted) else { return None };
        let call = head.clone().with(result.role(Role::Accent), name);
        let arrow = Line::text(Role::Dim, format!(" {} ", self.look.marks.arrow));
        let mut input = Line::text(Role::Plain, input);
        let text = Line::text(result.role(Role::Plain), text);
        let space = self.look.columns().saturating_sub(call.width() + arrow.width() + "()".len());
        if input.width() + text.width() > space {
            if result.outcome == ToolOutcome::Failed {
                return None;
            }
            let half = (space / 2).max(space.saturating_sub(text.width()));
            input = input.cut(half, self.look.marks.ellipsis);
        }
        Some(self.look.cut(with_input(call, input).append(arrow).append(text)))
    }

    /// `Read(src/lib.rs)`, with its input cut to leave space for `after`.
    fn call(&self, head: Line, role: Role, (name, input): (&str, &str), after: Line) -> Line {
        let line = head.with(role, name);
        let space = self.look.columns().saturating_sub(line.width() + after.width() + "()".len());
        let input = Line::text(Role::Plain, input);
        let input = input.cut(space.max(INPUT), self.look.marks.ellipsis);
        self.look.cut(with_input(line, input).append(after))
    }

    fn output_lines(&self, shown: &Excerpt, result: ToolResult<'_>) -> Vec<Line> {
        let first = Line::indented(4).with(Role::Dim, format!("{}  ", self.look.marks.output));
        let indent = first.width();
        // Errors are wrapped, other output is cut.
        let pieces = |text| match result.outcome {
            ToolOutcome::Failed => wrapped(text, self.look.columns().saturating_sub(indent)),
            ToolOutcome::Ok => vec![text],
        };
        let role = result.role(Role::Dim);
        let texts = shown.lines.iter().flat_map(|text| pieces(text)).map(|text| (role, text));
        let texts = texts.chain(shown.omitted.iter().map(|text| (Role::Dim, text.as_str())));
        let mut first = Some(first);
        let line = |(role, text): (Role, &str)| match (first.take(), text.is_empty()) {
            (_, true) => Line::empty(),
            (first, false) => {
                let start = first.unwrap_or_else(|| Line::indented(indent));
                self.look.cut(start.with(role, text))
            }
        };
        texts.map(line).collect()
    }

    /// The first lines of a result, within the limits.
    fn shown(&self, result: ToolResult<'_>) -> Excerpt {
        let ToolResult { summary, output, .. } = result;
        let ellipsis = self.look.marks.ellipsis;
        let text = if output.excerpt.is_empty() { summary } else { &output.excerpt };
        let block = sanitize::block(text);
        let mut space = self.output_chars;
        let mut lines = Vec::new();
        let mut torn = false;
        for line in block.iter().take(self.output_lines) {
            let end = line.char_indices().nth(space).map_or(line.len(), |(end, _)| end);
            space -= line[..end].chars().count();
            torn = end < line.len();
            if end > 0 || !torn {
                lines.push(line[..end].to_owned() + if torn { ellipsis } else { "" });
            }
            if torn {
                break;
            }
        }
        if lines.is_empty() {
            return Excerpt { lines, omitted: None };
        }
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        let all = block.len().max((output.lines as usize).saturating_sub(blank));
        let omitted = match (all - lines.len(), torn) {
            (0, false) => None,
            (0, true) => {
                let shown = self.output_chars - space;
                let all = block.iter().map(|line| line.chars().count()).sum::<usize>();
                let more = all.max(output.chars as usize) - shown;
                Some(count(more as u64, "more char", "more chars"))
            }
            (more, _) => Some(count(more as u64, "more line", "more lines")),
        };
        Excerpt { lines, omitted: omitted.map(|more| format!("{ellipsis} {more}")) }
    }
}

fn with_input(line: Line, input: Line) -> Line {
    match input.width() {
        0 => line,
        _ => line.with(Role::Dim, "(").append(input).with(Role::Dim, ")"),
    }
}
