//! The words about tools: what was called, and what it answered.
//!
//! Where beginnings are told, a call has its line and its answer another, which names the call.
//! Elsewhere both are one line: a status line showed the call while it ran.

use engine::{ToolOutcome, ToolOutput};

use super::{Beginnings, Script};
use crate::report::line::wrapped;
use crate::report::{Company, Line, Role, ToolView, count};

/// The least that is shown of a call's input, whatever stands behind it.
const INPUT: usize = 8;

/// How a tool ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) outcome: ToolOutcome,
    pub(super) summary: &'a str,
    pub(super) output: &'a ToolOutput,
}

/// As much of an answer as is shown, and how much is not.
struct Shown {
    lines: Vec<String>,
    left_out: Option<String>,
}

impl Script {
    /// `  → Read(src/lib.rs)`
    pub(super) fn tool_started(&self, name: &str, input: &str) -> Vec<Line> {
        match self.beginnings {
            Beginnings::Told => {
                let arrow = Line::indented(2).with(Role::Dim, self.look.marks.arrow);
                let arrow = arrow.with(Role::Plain, " ");
                vec![self.call(arrow, Role::Accent, (name, input), Line::empty())]
            }
            Beginnings::Silent => Vec::new(),
        }
    }

    pub(super) fn tool_ended(&self, call: Option<&ToolView>, answer: Answer<'_>) -> Vec<Line> {
        let (mark, role) = match answer.outcome {
            ToolOutcome::Ok => (self.look.marks.ok, Role::Good),
            ToolOutcome::Failed => (self.look.marks.failed, Role::Bad),
        };
        let head = Line::indented(2).with(role, mark).with(Role::Plain, " ");
        let shown = self.shown(answer);
        let (name, input) =
            call.map_or(("tool", ""), |call| (call.name.as_str(), call.summary.as_str()));
        let line = match self.beginnings {
            Beginnings::Told => {
                let input = match call.map(|call| call.company) {
                    Some(Company::Others) => input,
                    _ => "",
                };
                self.result(head, (name, input), answer)
            }
            Beginnings::Silent => match self.on_one_line(&head, (name, input), answer, &shown) {
                Some(line) => return vec![line],
                None => {
                    let size = size(answer.output)
                        .map(|size| format!(" {} {size}", self.look.marks.arrow));
                    let size = Line::empty().with(Role::Dim, size.unwrap_or_default());
                    self.call(head, accent(answer.outcome), (name, input), size)
                }
            },
        };
        let below = self.output_lines(&shown, answer.outcome);
        std::iter::once(line).chain(below).collect()
    }

    /// `  ✅ Result → Read (45 lines, 1234 chars)`
    fn result(&self, head: Line, call: (&str, &str), answer: Answer<'_>) -> Line {
        let (text, name) = (body(answer.outcome), accent(answer.outcome));
        let head =
            head.with(text, "Result").with(Role::Dim, format!(" {} ", self.look.marks.arrow));
        let size = size(answer.output).map(|size| format!(" ({size})")).unwrap_or_default();
        self.call(head, name, call, Line::empty().with(Role::Dim, size))
    }

    /// `  ✅ Bash(pwd) → /home/me/shop`, if that is all. What a tool that worked says may be cut for
    /// it, and so may its input; an error may not.
    fn on_one_line(
        &self,
        head: &Line,
        (name, input): (&str, &str),
        answer: Answer<'_>,
        shown: &Shown,
    ) -> Option<Line> {
        let ([text], None) = (shown.lines.as_slice(), &shown.left_out) else { return None };
        let call = head.clone().with(accent(answer.outcome), name);
        let arrow = Line::empty().with(Role::Dim, format!(" {} ", self.look.marks.arrow));
        let mut input = Line::empty().with(Role::Plain, input);
        let text = Line::empty().with(body(answer.outcome), text);
        if let Some(width) = self.look.width {
            let room = width.saturating_sub(call.width() + arrow.width() + "()".len());
            if input.width() + text.width() > room {
                if answer.outcome == ToolOutcome::Failed {
                    return None;
                }
                let half = (room / 2).max(room.saturating_sub(text.width()));
                input = input.cut(half, self.look.marks.ellipsis);
            }
        }
        Some(self.one_line(with_input(call, input).append(arrow).append(text)))
    }

    /// `Read(src/lib.rs)`, with its input cut where `after` needs the room.
    fn call(&self, head: Line, role: Role, (name, input): (&str, &str), after: Line) -> Line {
        let line = head.with(role, name);
        let mut input = Line::empty().with(Role::Plain, input);
        if let Some(width) = self.look.width {
            let room = width.saturating_sub(line.width() + after.width() + "()".len());
            input = input.cut(room.max(INPUT), self.look.marks.ellipsis);
        }
        self.one_line(with_input(line, input).append(after))
    }

    fn output_lines(&self, shown: &Shown, outcome: ToolOutcome) -> Vec<Line> {
        let mark = format!("{}  ", self.look.marks.output);
        let aligned = Line::indented(4 + Line::empty().with(Role::Plain, &mark).width());
        let first = Line::indented(4).with(Role::Dim, &mark);
        let role = match outcome {
            ToolOutcome::Ok => Role::Dim,
            ToolOutcome::Failed => Role::Bad,
        };
        let start = |at: usize| if at == 0 { first.clone() } else { aligned.clone() };
        // An error is read to its end; of other output, that there is more is enough.
        let pieces = |text| match (outcome, self.look.width) {
            (ToolOutcome::Failed, Some(width)) => {
                wrapped(text, width.saturating_sub(aligned.width()))
            }
            _ => vec![text],
        };
        let texts = shown.lines.iter().flat_map(|text| pieces(text)).map(|text| (role, text));
        let texts = texts.chain(shown.left_out.iter().map(|text| (Role::Dim, text.as_str())));
        let line = |(at, (role, text)): (usize, (Role, &str))| match text.is_empty() {
            true => Line::empty(),
            false => self.one_line(start(at).with(role, text)),
        };
        texts.enumerate().map(line).collect()
    }

    /// The first lines of an answer, within the limits.
    fn shown(&self, answer: Answer<'_>) -> Shown {
        let Answer { summary, output, .. } = answer;
        let ellipsis = self.look.marks.ellipsis;
        let text = if output.excerpt.is_empty() { summary } else { &output.excerpt };
        let block = sanitize::block(text);
        let mut room = self.output.chars;
        let mut lines = Vec::new();
        let mut torn = false;
        for line in block.iter().take(self.output.lines) {
            let fits = line.chars().take(room).count();
            torn = fits < line.chars().count();
            room -= fits;
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
            return Shown { lines, left_out: None };
        }
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        let all = block.len().max((output.lines as usize).saturating_sub(blank));
        let left_out = match (all - lines.len(), torn) {
            (0, false) => None,
            (0, true) => {
                let shown = self.output.chars - room;
                let all = block.iter().map(|line| line.chars().count()).sum::<usize>();
                let more = all.max(output.chars as usize) - shown;
                Some(count(more as u64, "more char", "more chars"))
            }
            (more, _) => Some(count(more as u64, "more line", "more lines")),
        };
        Shown { lines, left_out: left_out.map(|more| format!("{ellipsis} {more}")) }
    }
}

fn with_input(line: Line, input: Line) -> Line {
    match input.width() {
        0 => line,
        _ => line.with(Role::Dim, "(").append(input).with(Role::Dim, ")"),
    }
}

/// `45 lines, 1234 chars`; nothing of a tool that said nothing.
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
