//! Follows one session of an agent: translates its events, and concludes how it ended.
//!
//! Pure: events of the agent in, events of the loop out. Not here: running the agent.

mod checked_commands;
mod conclusion;

use std::collections::VecDeque;
use std::path::Path;

use agents::{AgentEvent, AgentResult, HookAnswer, HookVerdict, QuotaState, Thread, UsageLimit};
use chrono::{DateTime, Utc};
use supervise::Reaction;

use self::checked_commands::CheckedCommands;
pub(crate) use self::conclusion::{Conclusion, ExpectedHooks};
use events::{HookAnswerKind, LoopEvent};

/// Lines outside the stream that may explain a crash.
const MAX_ERROR_LINES: usize = 12;
const LONGEST_ERROR_LINE: usize = 400;

/// Bytes of text, tool calls and todo lists of one session that become events: they must not fill the disk. The
/// recording of the stream has its own limit.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// The same for its standard error, and for one line of it.
const MAX_STDERR_BYTES: usize = 1024 * 1024;
const LONGEST_STDERR_LINE: usize = 2000;

/// The size of a tool call's event without its summary.
const TOOL_CALL: usize = 200;

/// The size of a todo item without its text.
const TODO_ITEM: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct SessionWatch {
    /// The project's folder with a trailing `/`: agents name files by absolute paths, people by relative ones.
    root: String,
    turn: TurnState,
    /// The last one. Its figures count even if the session continued after it.
    result: Option<AgentResult>,
    context_window: Option<u64>,
    rejected: Option<UsageLimit>,
    quota: Option<f64>,
    guard: StopHookState,
    commands: CheckedCommands,
    error_lines: VecDeque<String>,
    /// Its last warning.
    notice: String,
    /// Bytes of text, tool calls and todo lists that became events.
    event_bytes: usize,
    /// Bytes of its standard error that became events.
    stderr_bytes: usize,
}

/// Where the session is between a prompt and its result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TurnState {
    #[default]
    NotBegun,
    /// From the start of the session, or after background work woke it again.
    Begun,
    Answered,
}

#[derive(Debug, Default)]
struct StopHookState {
    last: Option<StopHookAnswer>,
    failure: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopHookAnswer {
    Judged,
    /// It allowed the stop, because background work will wake the session.
    WaitsForBackground,
}

impl SessionWatch {
    /// `context_window` was reported by an earlier session.
    pub(crate) fn new(root: &Path, context_window: Option<u64>) -> Self {
        let root = format!("{}/", root.display());
        Self { root, context_window, ..Self::default() }
    }

    /// The loop's event for an event of the agent, if any.
    pub(crate) fn event(&mut self, event: AgentEvent) -> Option<LoopEvent> {
        let event = self.translate(event)?;
        let size = match &event {
            LoopEvent::AgentText { text } => text.len(),
            // Every change is an event with the whole list.
            LoopEvent::Todo { items } => {
                items.iter().map(|item| item.text.len() + TODO_ITEM).sum::<usize>()
            }
            LoopEvent::ToolStarted { summary, .. } => summary.len() + TOOL_CALL,
            LoopEvent::ToolEnded { summary, output, .. } => {
                summary.len() + output.excerpt.len() + TOOL_CALL
            }
            _ => return Some(event),
        };
        let before = self.event_bytes;
        self.event_bytes = before.saturating_add(size);
        match (before > MAX_EVENT_BYTES, self.event_bytes > MAX_EVENT_BYTES) {
            (true, _) => None,
            (false, true) => Some(LoopEvent::Warning {
                text: "the agent's output exceeds 8 MiB; the rest is only in its recording".into(),
            }),
            (false, false) => Some(event),
        }
    }

    fn translate(&mut self, event: AgentEvent) -> Option<LoopEvent> {
        // An agent that continues after a result must give another one.
        let works = matches!(event, AgentEvent::Text { .. } | AgentEvent::ToolStarted { .. });
        if works && self.turn == TurnState::Answered {
            self.turn = TurnState::Begun;
        }
        Some(match event {
            AgentEvent::SessionStarted { model, version, .. } => {
                if std::mem::replace(&mut self.turn, TurnState::Begun) != TurnState::NotBegun {
                    return None;
                }
                LoopEvent::SessionStarted {
                    model: model.unwrap_or_default(),
                    version: version.unwrap_or_default(),
                }
            }
            AgentEvent::Text { text } => LoopEvent::AgentText { text },
            AgentEvent::ToolStarted { id, name, summary, thread } => {
                self.commands.tool_started(&id, &name, thread);
                let name = match thread {
                    Thread::Main => name,
                    Thread::Subagent => format!("↳ {name}"),
                };
                LoopEvent::ToolStarted { id, name, summary: self.without_root(&summary) }
            }
            AgentEvent::ToolEnded { id, outcome, summary, output } => {
                self.commands.tool_ended(&id, outcome);
                LoopEvent::ToolEnded { id, outcome, summary, output }
            }
            AgentEvent::Todo { items } => LoopEvent::Todo { items },
            AgentEvent::Context { tokens } => {
                LoopEvent::Context { tokens, window: self.context_window }
            }
            AgentEvent::Retry { attempt, of, delay, status, reason } => LoopEvent::ApiRetry {
                attempt,
                of,
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                status,
                reason,
            },
            AgentEvent::Limit(limit) => self.limit(limit),
            AgentEvent::Hook(answer) => return self.hook(answer),
            AgentEvent::Compacted { tokens_after } => LoopEvent::Compacted { tokens_after },
            AgentEvent::Notice { text } => {
                self.notice.clone_from(&text);
                LoopEvent::Warning { text }
            }
            AgentEvent::Result(mut result) => {
                self.context_window = result.context_window.or(self.context_window);
                // Background work may wake a session that has already answered.
                let given = self.result.take().and_then(|earlier| earlier.structured);
                result.structured = result.structured.or(given);
                self.result = Some(result);
                self.turn = TurnState::Answered;
                return None;
            }
        })
    }

    fn without_root(&self, text: &str) -> String {
        if self.root.is_empty() { text.to_owned() } else { text.replace(&self.root, "") }
    }

    /// Whether the process should end soon.
    pub(crate) fn reaction(&self) -> Reaction {
        match (self.turn, self.guard.last) {
            (TurnState::Answered, Some(StopHookAnswer::WaitsForBackground)) => Reaction::MoreToCome,
            (TurnState::Answered, _) => Reaction::Result,
            (TurnState::NotBegun | TurnState::Begun, _) => Reaction::MoreToCome,
        }
    }

    /// A line that is not part of the stream.
    pub(crate) fn error_line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return;
        }
        if self.error_lines.len() == MAX_ERROR_LINES {
            self.error_lines.pop_front();
        }
        self.error_lines.push_back(text.chars().take(LONGEST_ERROR_LINE).collect());
    }

    /// The loop's event for a line of the standard error, if any. It has its own limit: a flood there must not
    /// hide the agent's messages.
    pub(crate) fn stderr(&mut self, line: &[u8]) -> Option<LoopEvent> {
        let text = String::from_utf8_lossy(line);
        let text: String = text.trim_end().chars().take(LONGEST_STDERR_LINE).collect();
        if text.is_empty() || self.stderr_bytes > MAX_STDERR_BYTES {
            return None;
        }
        self.stderr_bytes += text.len();
        match self.stderr_bytes > MAX_STDERR_BYTES {
            true => Some(LoopEvent::Warning {
                text:
                    "the agent wrote more than 1 MiB to stderr; the rest is only in its recording"
                        .into(),
            }),
            false => Some(LoopEvent::AgentStderr { text }),
        }
    }

    fn limit(&mut self, limit: UsageLimit) -> LoopEvent {
        let fullest = self.quota.into_iter().chain(limit.utilization).reduce(f64::max);
        self.quota = fullest;
        let event = LoopEvent::Quota(events::Quota {
            state: limit.state,
            window: limit.window.clone(),
            used: limit.utilization,
            resets_at: limit.resets_at.and_then(time),
        });
        if limit.state == QuotaState::Rejected {
            self.rejected = Some(limit);
        }
        event
    }

    fn hook(&mut self, answer: HookAnswer) -> Option<LoopEvent> {
        self.commands.hook(&answer);
        if answer.event == "Stop" {
            if answer.stderr.starts_with(verify::GUARD) {
                let waits = answer.stderr.contains(verify::WAITS_FOR_BACKGROUND);
                self.guard.last = Some(match waits {
                    true => StopHookAnswer::WaitsForBackground,
                    false => StopHookAnswer::Judged,
                });
            } else if let HookVerdict::Failed { why } = &answer.verdict {
                self.guard.failure = Some(why.clone());
            }
        }
        let (kind, text) = match answer.verdict {
            HookVerdict::Silent => return None,
            HookVerdict::Blocked { reason } => (HookAnswerKind::Blocked, reason),
            HookVerdict::Warned { message } => (HookAnswerKind::Warned, message),
            HookVerdict::Informed { context } => (HookAnswerKind::Informed, context),
            HookVerdict::Failed { why } => (HookAnswerKind::Failed, why),
        };
        Some(LoopEvent::HookAnswered { hook: answer.name, answer: kind, text })
    }
}

impl StopHookState {
    fn missing(&self) -> Option<String> {
        Some(match (self.last, &self.failure) {
            (Some(StopHookAnswer::Judged), _) => return None,
            // Claude Code ends background work of a subagent without waking the session.
            (Some(StopHookAnswer::WaitsForBackground), _) => {
                "the Stop hook waited for background work that never woke the session".to_owned()
            }
            (None, Some(why)) => format!("the Stop hook failed: {why}"),
            (None, None) => "the Stop hook did not run in this session".to_owned(),
        })
    }
}

fn time(unix_seconds: u64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(i64::try_from(unix_seconds).ok()?, 0)
}

#[cfg(test)]
mod tests;
