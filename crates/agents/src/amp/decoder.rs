//! One line of the stream in, events out. What is as in Claude Code's stream is read there.

use super::{result_line, tool_result};
use crate::claude::{self, assistant, message_line::MessageLine};
use crate::{AgentEvent, Decode, Heard, Tokens, json_line};

/// What must be remembered from line to line.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    like_claude: claude::Decoder,
    /// Of all messages so far: the last line does not tell.
    spent: Tokens,
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard {
        json_line::hear(bytes, |kind, line| {
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
