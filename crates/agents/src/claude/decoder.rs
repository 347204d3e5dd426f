//! One line of the stream in, events out.
//!
//! Only what this house uses is read; whatever else a line holds, new or odd, is passed over.

use super::todo_list::TodoList;
use super::{assistant, rate_limit, result_line, system, user};
use crate::{AgentEvent, Decode, Heard, UsageLimit, json_line};

/// What must be remembered from line to line.
#[derive(Debug, Default)]
pub struct Decoder {
    pub(super) model: Option<String>,
    pub(super) counted_message: Option<String>,
    pub(super) limit: Option<UsageLimit>,
    pub(super) todo: TodoList,
    unreadable: u64,
}

impl Decoder {
    /// Takes one line, with or without its line break, whatever it holds.
    pub fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) {
        let heard = json_line::hear(bytes, |kind, line| self.decode(kind, line, emit));
        if heard == Heard::Noise {
            self.unreadable += 1;
        }
    }

    /// How many lines were no JSON, or cut off.
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
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard {
        let before = self.unreadable;
        self.line(bytes, emit);
        if self.unreadable > before { Heard::Noise } else { Heard::Stream }
    }
}
