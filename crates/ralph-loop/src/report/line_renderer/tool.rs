//! Lines about tool calls and their results.
//!
//! Without a status line, a call and its result have one line each, and the result names the call. With a
//! status line, which shows running calls, both share one line.

use events::{ToolOutcome, ToolOutput};

use super::LineRenderer;
use crate::report::line::wrapped;
use crate::report::{Line, Role, ToolView, count};

/// The minimum width of a call's input.
const INPUT: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct ToolResult<'a> {
    pub(super) outcome: ToolOutcome,
    pub(super) summary: &'a str,
    pub(super) output: &'a ToolOutput,
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
        let (mark, role) = match result.outcome {
            ToolOutcome::Ok => (self.look.marks.ok, Role::Good),
            ToolOutcome::Failed => (self.look.marks.failed, Role::Bad),
        };
        let head = Line::indented(2).with(role, mark).with(Role::Plain, " ");
        let shown = self.shown(result);
        let (name, input) =
            call.map_or(("tool", ""), |call| (call.name.as_str(), call.summary.as_str()));
        let line = if self.shows_starts() {
            let is_concurrent = call.is_some_and(|call| call.concurrent);
            self.result(head, (name, if is_concurrent { input } else { "" }), result)
        } else if let Some(line) = self.on_one_line(&head, (name, input), result, &shown) {
            return vec![line];
        } else {
            let size = size(result.output).map(|size| format!(" {} {size}", self.look.marks.arrow));
            let size = Line::empty().with(Role::Dim, size.unwrap_or_default());
            self.call(head, accent(result.outcome), (name, input), size)
        };
        let below = self.output_lines(&shown, result.outcome);
        std::iter::once(line).chain(below).collect()
    }

    /// `  ✅ Result → Read (45 lines, 1234 chars)`
    fn result(&self, head: Line, call: (&str, &str), result: ToolResult<'_>) -> Line {
        let (text, name) = (body(result.outcome), accent(result.outcome));
        let head =
            head.with(text, "Result").with(Role::Dim, format!(" {} ", self.look.marks.arrow));
        let size = size(result.output).map(|size| format!(" ({size})")).unwrap_or_default();
        self.call(head, name, call, Line::empty().with(Role::Dim, size))
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
        let call = head.clone().with(accent(result.outcome), name);
        let arrow = Line::empty().with(Role::Dim, format!(" {} ", self.look.marks.arrow));
        let mut input = Line::empty().with(Role::Plain, input);
        let text = Line::empty().with(body(result.outcome), text);
        if let Some(width) = self.look.width {
            let space = width.saturating_sub(call.width() + arrow.width() + "()".len());
            if input.width() + text.width() > space {
                if result.outcome == ToolOutcome::Failed {
                    return None;
                }
                let half = (space / 2).max(space.saturating_sub(text.width()));
                input = input.cut(half, self.look.marks.ellipsis);
            }
        }
        Some(self.one_line(with_input(call, input).append(arrow).append(text)))
    }

    /// `Read(src/lib.rs)`, with its input cut to leave space for `after`.
    fn call(&self, head: Line, role: Role, (name, input): (&str, &str), after: Line) -> Line {
        let line = head.with(role, name);
        let mut input = Line::empty().with(Role::Plain, input);
        if let Some(width) = self.look.width {
            let space = width.saturating_sub(line.width() + after.width() + "()".len());
            input = input.cut(space.max(INPUT), self.look.marks.ellipsis);
        }
        self.one_line(with_input(line, input).append(after))
    }

    fn output_lines(&self, shown: &Excerpt, outcome: ToolOutcome) -> Vec<Line> {
        let mark = format!("{}  ", self.look.marks.output);
        let aligned = Line::indented(4 + Line::empty().with(Role::Plain, &mark).width());
        let first = Line::indented(4).with(Role::Dim, &mark);
        let role = match outcome {
            ToolOutcome::Ok => Role::Dim,
            ToolOutcome::Failed => Role::Bad,
        };
        let start = |at: usize| if at == 0 { first.clone() } else { aligned.clone() };
        // Errors are wrapped, other output is cut.
        let pieces = |text| match (outcome, self.look.width) {
            (ToolOutcome::Failed, Some(width)) => {
                wrapped(text, width.saturating_sub(aligned.width()))
            }
            _ => vec![text],
        };
        let texts = shown.lines.iter().flat_map(|text| pieces(text)).map(|text| (role, text));
        let texts = texts.chain(shown.omitted.iter().map(|text| (Role::Dim, text.as_str())));
        let line = |(at, (role, text)): (usize, (Role, &str))| match text.is_empty() {
            true => Line::empty(),
            false => self.one_line(start(at).with(role, text)),
        };
        texts.enumerate().map(line).collect()
    }

    /// The first lines of a result, within the limits.
    fn shown(&self, result: ToolResult<'_>) -> Excerpt {
        let ToolResult { summary, output, .. } = result;
        let ellipsis = self.look.marks.ellipsis;
        let text = if output.excerpt.is_empty() { summary } else { &output.excerpt };
        let block = sanitize::block(text);
        let mut space = self.output.chars;
        let mut lines = Vec::new();
        let mut torn = false;
        for line in block.iter().take(self.output.lines) {
            let fits = line.chars().take(space).count();
            torn = fits < line.chars().count();
            space -= fits;
            match torn {
                true if fits == 0 => {}
                true => lines.push(line.chars().take(fits).collect::<String>() + ellipsis),
                false => lines.push(line.clone()),
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
                let shown = self.output.chars - space;
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

/// `45 lines, 1234 chars`; `None` without output.
fn size(output: &ToolOutput) -> Option<String> {
    let (lines, chars) = (output.lines, output.chars);
    (lines > 0)
        .then(|| format!("{}, {}", count(lines, "line", "lines"), count(chars, "char", "chars")))
}

fn accent(outcome: ToolOutcome) -> Role {
    match outcome {
        ToolOutcome::Ok => Role::Accent,
        ToolOutcome::Failed => Role::Bad,
    }
}

fn body(outcome: ToolOutcome) -> Role {
    match outcome {
        ToolOutcome::Ok => Role::Plain,
        ToolOutcome::Failed => Role::Bad,
    }
}
