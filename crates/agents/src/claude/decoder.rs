//! Decodes stream lines to events. Unknown fields and line types are ignored.

use super::todo_list::TodoList;
use super::{assistant, rate_limit, result_line, system, user};
use crate::{AgentEvent, Decode, LineKind, UsageLimit, json_line};

/// State between lines.
#[derive(Debug, Default)]
pub struct Decoder {
    pub(super) model: Option<String>,
    pub(super) counted_message: Option<String>,
    pub(super) limit: Option<UsageLimit>,
    pub(super) todo: TodoList,
    unreadable: u64,
}

impl Decoder {
    /// Decodes one line, with or without its line break.
    pub fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) {
        let kind = json_line::decode(bytes, |kind, line| self.decode(kind, line, emit));
        if kind == LineKind::Noise {
            self.unreadable += 1;
        }
    }

    /// The number of lines that were not JSON, or were cut off.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()> {
        match kind {
            "assistant" => assistant::decode(self, line, emit),
            "user" => user::decode(self, line, emit),
            "system" => system::decode(self, line, emit),
            "rate_limit_event" => rate_limit::decode(self, line, emit),
            "result" => result_line::decode(self, line, emit),
            _ => Ok(()),
        }
    }
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> LineKind {
        let before = self.unreadable;
        self.line(bytes, emit);
        if self.unreadable > before { LineKind::Noise } else { LineKind::Stream }
    }
}
