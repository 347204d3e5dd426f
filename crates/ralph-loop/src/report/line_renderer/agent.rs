//! Lines about the agent: its output, its tool calls and its session.

use events::{HookAnswerKind, LoopEvent, LoopKind, QuotaState, Stamped};

use super::tool::ToolResult;
use super::{LineRenderer, duration};
use crate::report::{Line, Role, RunView, moment, tokens};

impl LineRenderer {
    pub(super) fn about_stream(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        match event {
            LoopEvent::AgentText { text } => self.text_block(text, 2, Role::Plain),
            LoopEvent::ToolStarted { name, summary, .. } => self.tool_started(name, summary),
            LoopEvent::ToolEnded { id, outcome, summary, output } => {
                let call = view.calls().running(id);
                self.tool_ended(call, ToolResult { outcome: *outcome, summary, output })
            }
            LoopEvent::Todo { items } => {
                let before = view.iteration().and_then(|iteration| iteration.todo.as_ref());
                self.todo(items, before)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn about_session(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match &stamped.event {
            LoopEvent::SessionStarted { model, version } => session_started(model, version),
            LoopEvent::Compacted { tokens_after } => {
                let after = tokens_after.map(|after| format!(" to {} tokens", tokens(after)));
                let text = format!("the context was compacted{}", after.unwrap_or_default());
                vec![self.marked(Role::Warn, marks.warning, text)]
            }
            LoopEvent::ApiRetry { attempt, of, delay_ms, status, reason } => {
                let status = status.map(|status| format!("{status} ")).unwrap_or_default();
                let delay = duration(*delay_ms as f64 / 1000.0);
                let text =
                    format!("API error: {status}{reason}; retry {attempt} of {of} in {delay}");
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
                        &format!("usage limit nearly reached ({window}){facts}"),
                    ),
                    QuotaState::Rejected => self.note(
                        Role::Bad,
                        marks.failed,
                        &format!("usage limit reached ({window}){facts}"),
                    ),
                }
            }
            LoopEvent::HookAnswered { hook, answer, text } => self.hook(hook, *answer, text),
            LoopEvent::HookMissing { why } => {
                let text = format!("hook failure: {}", self.excerpt(why));
                self.note(Role::Alarm, marks.failed, &text)
            }
            LoopEvent::AgentEnded { .. } => self.agent_ended(&stamped.event, view),
            // Only the task list completes a story loop.
            LoopEvent::CompletionChecked { wanted, near_miss: Some(near_miss), .. }
                if view.start.as_ref().is_none_or(|start| start.kind != LoopKind::Stories) =>
            {
                let text = format!("not counted as complete: {}", near_miss.describe(wanted));
                self.note(Role::Warn, marks.warning, &text)
            }
            _ => Vec::new(),
        }
    }

    fn hook(&self, hook: &str, answer: HookAnswerKind, text: &str) -> Vec<Line> {
        let marks = self.look.marks;
        let (role, mark, did) = match answer {
            HookAnswerKind::Blocked => (Role::Warn, marks.warning, "blocked"),
            HookAnswerKind::Warned => (Role::Warn, marks.warning, "warned"),
            HookAnswerKind::Informed => (Role::Dim, marks.start, "informed the agent"),
            HookAnswerKind::Failed => (Role::Bad, marks.failed, "failed"),
        };
        self.note(role, mark, &format!("{hook} {did}: {}", self.excerpt(text)))
    }
}

/// Some agents report neither.
fn session_started(model: &str, version: &str) -> Vec<Line> {
    let text = match (model, version) {
        ("", "") => return Vec::new(),
        (model, "") => model.to_owned(),
        ("", version) => format!("version {version}"),
        (model, version) => format!("{model}, version {version}"),
    };
    vec![Line::indented(2).with(Role::Dim, text)]
}
