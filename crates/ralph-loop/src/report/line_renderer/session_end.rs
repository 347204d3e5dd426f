//! Lines about the end of an agent session: outcome, cost, tokens and time.

use events::{AgentOutcome, LoopEvent, TokenCount};
use unicode_width::UnicodeWidthStr;

use super::{LineRenderer, money};
use crate::report::format::{agent_outcome, brief_duration};
use crate::report::{Line, Role, RunView, ToolCalls, tokens};

impl LineRenderer {
    pub(super) fn agent_ended(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let LoopEvent::AgentEnded { outcome, detail, leftovers, .. } = event else {
            return Vec::new();
        };
        let marks = self.look.marks;
        let (role, mark, word) = match outcome {
            AgentOutcome::Answered => (Role::Good, marks.ok, "Complete"),
            AgentOutcome::Stopped => (Role::Warn, marks.warning, "Stopped"),
            _ => (Role::Bad, marks.failed, "Failed"),
        };
        let indent = 2 + mark.width() + 1;
        let head = Line::indented(2).with(role, format!("{mark} {word} ("));
        let mut lines = self.filled(head, indent, role, &facts(event, view.calls()));
        if *outcome != AgentOutcome::Answered {
            let colon = if detail.trim().is_empty() { "" } else { ": " };
            let why = format!("the agent {}{colon}{detail}", agent_outcome(*outcome));
            lines.extend(self.text_block(&why, indent, role));
        }
        if !leftovers.is_empty() {
            let text =
                format!("killed processes that the agent left running: {}", leftovers.join(", "));
            lines.extend(self.note(Role::Warn, marks.warning, &text));
        }
        lines
    }

    /// `head`, the facts and a closing bracket, wrapped between facts.
    fn filled(&self, head: Line, indent: usize, role: Role, facts: &[String]) -> Vec<Line> {
        let width = self.look.width.unwrap_or(usize::MAX);
        let mut lines = Vec::new();
        let mut line = head;
        for (position, fact) in facts.iter().enumerate() {
            let end = if position + 1 == facts.len() { ")" } else { "," };
            let piece = format!("{fact}{end}");
            if position > 0 && line.width() + 1 + piece.width() > width {
                lines.push(std::mem::replace(&mut line, Line::indented(indent)));
            } else if position > 0 {
                line = line.with(Role::Plain, " ");
            }
            line = line.with(role, piece);
        }
        lines.push(line);
        lines
    }
}

/// Known facts: not every agent reports cost or tokens.
fn facts(event: &LoopEvent, calls: &ToolCalls) -> Vec<String> {
    let LoopEvent::AgentEnded { cost_usd, tokens, seconds, .. } = event else { return Vec::new() };
    let mut facts = Vec::new();
    facts.extend(cost_usd.filter(|usd| *usd > 0.0).map(|usd| format!("cost: {}", money(usd))));
    facts.extend(token_facts(*tokens));
    facts.extend((calls.made > 0).then(|| format!("tools: {}", calls.made)));
    facts.extend((calls.failed > 0).then(|| format!("errors: {}", calls.failed)));
    facts.push(format!("time: {}", brief_duration(*seconds)));
    facts
}

/// `tokens: 1.2M in (850K cached) / 45K out`
fn token_facts(count: TokenCount) -> Option<String> {
    let TokenCount { input, output, cache_read, cache_creation } = count;
    let input = input.saturating_add(cache_read).saturating_add(cache_creation);
    if input == 0 && output == 0 {
        return None;
    }
    let cached = match cache_read {
        0 => String::new(),
        cached => format!(" ({} cached)", tokens(cached)),
    };
    Some(format!("tokens: {} in{cached} / {} out", tokens(input), tokens(output)))
}
