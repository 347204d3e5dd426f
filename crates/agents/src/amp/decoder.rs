//! Decodes stream lines to events. Lines with Claude Code's format are decoded there.

use super::{result_line, tool_result};
use crate::claude::{self, assistant, message_line::MessageLine};
use crate::{AgentEvent, Decode, LineKind, TokenCount, json_line};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    like_claude: claude::Decoder,
    /// The sum of all messages, because the result line has no tokens.
    spent: TokenCount,
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> LineKind {
        json_line::decode(bytes, |kind, line| {
            match kind {
                "assistant" => {
                    let usage = MessageLine::read(line)?.message.usage;
                    self.spent = self.spent.plus(assistant::tokens(usage));
                    self.like_claude.line(line.as_bytes(), emit);
                }
                "system" => self.like_claude.line(line.as_bytes(), emit),
                "user" => tool_result::decode(line, emit)?,
                "result" => emit(AgentEvent::Result(result_line::decode(line, self.spent)?)),
                _ => {}
            }
            Ok(())
        })
    }
}
