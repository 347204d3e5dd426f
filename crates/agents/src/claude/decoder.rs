//! Decodes stream lines to events. Unknown fields and line types are ignored.

use super::decoder_state::Decoder;
use super::{assistant, rate_limit, result_line, system, user};
use crate::decode::{Emit, JsonDecoder};
use crate::raw::Object;

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "assistant" => assistant::decode(self, line, &message(line)?, emit),
            "user" => user::decode(self, line, &message(line)?, emit),
            "system" => system::decode(self, line, emit),
            "rate_limit_event" => rate_limit::decode(self, line, emit),
            "result" => result_line::decode(self, line, emit),
            _ => {}
        }
        Ok(())
    }
}

/// The message of an `assistant` or `user` line, which is invalid without one.
pub(crate) fn message<'a>(line: &Object<'a>) -> serde_json::Result<Object<'a>> {
    serde_json::from_str(line["message"].json())
}
