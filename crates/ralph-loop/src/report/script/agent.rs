//! The words about the agent: what it says and does, and what happens to its session.

use engine::{AgentOutcome, HookAnswerKind, LoopEvent, QuotaState, Stamped, ToolOutcome};

use super::{Beginnings, Script, duration};
use crate::report::words::agent_outcome;
use crate::report::{Line, Role, RunView, moment, tokens};

impl Script {
    pub(super) fn about_stream(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        match event {
            LoopEvent::AgentText { text } => self.text_block(text, 2, Role::Plain),
            LoopEvent::ToolStarted { name, summary, .. } => match self.beginnings {
                Beginnings::Told => {
                    vec![self.tool(Role::Dim, self.look.marks.start, name, summary)]
                }
                Beginnings::Silent => Vec::new(),
            },
            LoopEvent::ToolEnded { id, outcome, summary } => {
                self.tool_ended(id, *outcome, summary, view)
            }
            LoopEvent::Todo { items } => {
                let before = view.iteration.as_ref().and_then(|iteration| iteration.todo.as_ref());
                self.todo(items, before)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn about_session(&self, stamped: &Stamped) -> Vec<Line> {
        let marks = self.look.marks;
        match &stamped.event {
            LoopEvent::SessionStarted { model, version } => {
                vec![Line::indented(2).with(Role::Dim, format!("{model}, version {version}"))]
            }
            LoopEvent::Compacted { tokens_after } => {
                let after = tokens_after.map(|after| format!(" to {} tokens", tokens(after)));
                let text = format!("the context was compacted{}", after.unwrap_or_default());
                vec![self.marked(Role::Warn, marks.warning, text)]
            }
            LoopEvent::ApiRetry { attempt, of, delay_ms, status, reason } => {
                let status = status.map(|status| format!("{status} ")).unwrap_or_default();
                let delay = duration(*delay_ms as f64 / 1000.0);
                let text = format!("API: {status}{reason}, try {attempt} of {of} in {delay}");
                self.note(Role::Warn, marks.warning, &text)
            }
            LoopEvent::Quota { state, window, used, resets_at } => {
                let used = used.map(|used| format!(", {:.0}% used", used * 100.0));
                let reset =
                    resets_at.map(|at| format!(", resets {}", moment(at, stamped.at, self.offset)));
                let facts = format!("{}{}", used.unwrap_or_default(), reset.unwrap_or_default());
                match state {
                    QuotaState::Allowed => Vec::new(),
                    QuotaState::Warning => self.note(
                        Role::Warn,
                        marks.warning,
                        &format!("the usage limit is near ({window}){facts}"),
                    ),
                    QuotaState::Rejected => self.note(
                        Role::Bad,
                        marks.failed,
                        &format!("the usage limit is reached ({window}){facts}"),
                    ),
                }
            }
            LoopEvent::HookAnswered { hook, answer, text } => self.hook(hook, *answer, text),
            LoopEvent::GuardMissing { why } => {
                let head = Line::indented(2).with(Role::Bad, marks.failed).with(Role::Plain, " ");
                let head = head.with(Role::Alarm, "THE STOP GUARD DID NOT WORK");
                let why = self.text_block(&self.excerpt(why), 6, Role::Plain);
                std::iter::once(head).chain(why).collect()
            }
            LoopEvent::AgentEnded { outcome, detail, leftovers, .. } => {
                self.agent_ended(*outcome, detail, leftovers)
            }
            _ => Vec::new(),
        }
    }

    /// `  ✓ Bash  cargo test`
    fn tool(&self, role: Role, mark: &str, name: &str, summary: &str) -> Line {
        let line = Line::indented(2).with(role, mark).with(Role::Plain, " ");
        let line = line.with(Role::Accent, name);
        if summary.is_empty() {
            return line;
        }
        self.one_line(line.with(Role::Dim, format!("  {summary}")))
    }

    fn tool_ended(
        &self,
        id: &str,
        outcome: ToolOutcome,
        summary: &str,
        view: &RunView,
    ) -> Vec<Line> {
        let marks = self.look.marks;
        let call = view.iteration.as_ref().and_then(|iteration| iteration.tool(id));
        let (name, called) =
            call.map_or(("tool", ""), |call| (call.name.as_str(), call.summary.as_str()));
        match (outcome, self.beginnings) {
            (ToolOutcome::Ok, Beginnings::Told) => Vec::new(),
            (ToolOutcome::Ok, Beginnings::Silent) => {
                vec![self.tool(Role::Good, marks.ok, name, called)]
            }
            (ToolOutcome::Failed, _) => {
                let mut lines = vec![self.tool(Role::Bad, marks.failed, name, called)];
                lines.extend(self.text_block(&self.excerpt(summary), 6, Role::Dim));
                lines
            }
        }
    }

    /// One line, and only if something about it changed.
    fn todo(
        &self,
        items: &[engine::TodoItem],
        before: Option<&crate::report::TodoView>,
    ) -> Vec<Line> {
        let now = crate::report::TodoView::of(items);
        if items.is_empty() || before == Some(&now) {
            return Vec::new();
        }
        let line =
            Line::indented(2).with(Role::Dim, format!("to do: {} of {} done", now.done, now.of));
        let current = now.current.map(|text| format!(", now: {text}")).unwrap_or_default();
        vec![self.one_line(line.with(Role::Dim, current))]
    }

    fn hook(&self, hook: &str, answer: HookAnswerKind, text: &str) -> Vec<Line> {
        let marks = self.look.marks;
        let (role, mark, did) = match answer {
            HookAnswerKind::Blocked => (Role::Warn, marks.warning, "blocked"),
            HookAnswerKind::Warned => (Role::Warn, marks.warning, "warned"),
            HookAnswerKind::Told => (Role::Dim, marks.start, "told the agent"),
            HookAnswerKind::Failed => (Role::Bad, marks.failed, "failed"),
        };
        self.note(role, mark, &format!("{hook} {did}: {}", self.excerpt(text)))
    }

    fn agent_ended(&self, outcome: AgentOutcome, detail: &str, leftovers: &[String]) -> Vec<Line> {
        let marks = self.look.marks;
        let mut lines = Vec::new();
        if outcome != AgentOutcome::Answered {
            let words = agent_outcome(outcome);
            let colon = if detail.trim().is_empty() { "" } else { ": " };
            let text = format!("the agent {words}{colon}{detail}");
            let (role, mark) = match outcome {
                AgentOutcome::Stopped => (Role::Warn, marks.warning),
                _ => (Role::Bad, marks.failed),
            };
            lines.extend(self.note(role, mark, &text));
        }
        if !leftovers.is_empty() {
            let text = format!("ended what the agent had left running: {}", leftovers.join(", "));
            lines.extend(self.note(Role::Warn, marks.warning, &text));
        }
        lines
    }
}
